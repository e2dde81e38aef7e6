package open

import (
	"fmt"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/queue"
)

func (a address) memory() (memory.Config, error) {
	var cfg memory.Config
	p := a.parameters("unique_for", "keep_for", "max_payload")
	if a.rest != "" {
		p.wrong(fmt.Sprintf("%q follows the name", a.rest), "write memory: alone")
	}
	p.span("unique_for", &cfg.UniqueFor)
	p.span("keep_for", &cfg.KeepFor)
	p.size("max_payload", &cfg.MaxPayload)
	return cfg, p.err()
}

func (a address) sqlite() (string, sqlite.Config, error) {
	var cfg sqlite.Config
	p := a.parameters("unique_for", "keep_for", "max_payload", "busy_timeout", "synchronous")
	path, err := a.path()
	if err != nil {
		p.problems = append(p.problems, err)
	}
	p.span("unique_for", &cfg.UniqueFor)
	p.span("keep_for", &cfg.KeepFor)
	p.size("max_payload", &cfg.MaxPayload)
	p.span("busy_timeout", &cfg.BusyTimeout)
	switch v := p.values.Get("synchronous"); {
	case strings.EqualFold(v, "normal"):
		cfg.Relaxed = true
	case p.values.Has("synchronous") && !strings.EqualFold(v, "full"):
		p.wrong(fmt.Sprintf("synchronous is %.20q", v), "write full (each commit is fsynced) or normal")
	}
	return path, cfg, p.err()
}

// redis gives the connection's URL as the driver reads it, and what the parameters say beside it.
func (a address) redis() (string, redis.Config, error) {
	var cfg redis.Config
	p := a.parameters("unique_for", "keep_for", "max_payload", "prefix", "min_replicas", "ended_bytes", "sentinel")
	p.span("unique_for", &cfg.UniqueFor)
	p.span("keep_for", &cfg.KeepFor)
	p.size("max_payload", &cfg.MaxPayload)
	p.count("min_replicas", &cfg.MinReplicas)
	p.size("ended_bytes", &cfg.EndedBytes)
	cfg.Prefix = p.values.Get("prefix")
	url := a.scheme + ":" + a.rest
	if master := p.values.Get("sentinel"); master != "" {
		url += "?" + neturl.Values{"sentinel": {master}}.Encode()
	}
	return url, cfg, p.err()
}

// parameters reads the query of a URL and gathers everything that is wrong with it.
type parameters struct {
	shown    string
	values   neturl.Values
	problems queue.Problems
}

// parameters refuses those whose names are not among the allowed, and those given twice.
func (a address) parameters(allowed ...string) *parameters {
	p := &parameters{shown: a.shown}
	var err error
	if p.values, err = neturl.ParseQuery(a.query); err != nil {
		p.wrong("its parameters cannot be read", "write ?name=value&name=value")
	}
	names := make([]string, 0, len(p.values))
	for name := range p.values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			p.wrong(fmt.Sprintf("it has no parameter %.40q", name), "its parameters are "+strings.Join(allowed, ", "))
		} else if n := len(p.values[name]); n > 1 {
			p.wrong(fmt.Sprintf("%s is given %d times", name, n), "give it once")
		}
	}
	return p
}

func (p *parameters) wrong(detail, remedy string) {
	p.problems = append(p.problems, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
}

func (p *parameters) span(name string, into *time.Duration) {
	if !p.values.Has(name) {
		return
	}
	text := p.values.Get(name)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		p.wrong(fmt.Sprintf("%s is %.40q", name, text), "write a duration above 0, such as 5s or 720h")
		return
	}
	*into = d
}

func (p *parameters) size(name string, into *int) {
	p.number(name, into, "write a number of bytes above 0, such as 65536")
}

func (p *parameters) count(name string, into *int) { p.number(name, into, "write a number above 0") }

func (p *parameters) number(name string, into *int, remedy string) {
	if !p.values.Has(name) {
		return
	}
	text := p.values.Get(name)
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		p.wrong(fmt.Sprintf("%s is %.40q", name, text), remedy)
		return
	}
	*into = n
}

func (p *parameters) err() error {
	switch len(p.problems) {
	case 0:
		return nil
	case 1:
		if e, ok := p.problems[0].(*queue.Error); ok && e.Op == "" {
			e.Op, e.Subject = "open", p.shown
			return e
		}
		return p.problems[0]
	}
	return &queue.Error{Op: "open", Subject: p.shown, Reason: queue.ErrInvalid, Detail: fmt.Sprintf("%d problems", len(p.problems)), Cause: p.problems}
}
