package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

type enqueueCmd struct {
	Kind       string   `arg:"" name:"kind" help:"The job's kind, as its workers know it."`
	Key        string   `arg:"" name:"key" help:"What makes it this job: the same whenever the same request is made."`
	Payload    string   `help:"Its arguments: JSON, @FILE, or - for stdin. Required." placeholder:"JSON"`
	Raw        bool     `help:"The payload is any bytes, sent as they are. Else it is JSON, sent as Go's encoding/json writes it, so that spaces make no other job of it."`
	Queue      string   `help:"Where it waits; a kind's own queue, or its workers do not find it (${default})." default:"default" placeholder:"NAME"`
	At         string   `help:"Run it at this time and not before: RFC 3339, such as 2030-01-31T08:00:00Z." placeholder:"TIME"`
	In         string   `help:"Run it after this long, such as 90s, 15m, 36h." placeholder:"LENGTH"`
	Priority   int      `help:"-9 to 9; higher goes first. Write --priority=-3." default:"0" placeholder:"N"`
	Origin     string   `help:"When the request was first made: keep it, and give the same again when you repeat the request." placeholder:"TIME"`
	Header     []string `help:"A header, such as request_id=r-1. May be given again." placeholder:"NAME=VALUE" sep:"none"`
	MaxPayload int      `help:"Bytes of a payload: a kind that allows more may need it raised (${default})." default:"4096" placeholder:"N"`
}

func (enqueueCmd) Help() string {
	return `Use it to hand in one job by hand or from a script. It is safe to repeat: the same kind and key make the same job.

    twice enqueue orders.charge o-17 --payload '{"order_id":"o-17"}'`
}

const enqueueOp = "enqueue"

func (c enqueueCmd) Run(ctx context.Context, s *session) error {
	job, err := c.job(s)
	if err != nil {
		return err
	}
	engine, err := s.engineOrNew(ctx)
	if err != nil {
		return err
	}
	receipts, err := engine.Enqueue(ctx, job)
	if err != nil {
		return err
	}
	return s.receipt(ctx, engine, job, receipts[0])
}

// job makes the job, with all that is wrong with it reported at once.
func (c enqueueCmd) job(s *session) (queue.Job, error) {
	var problems queue.Problems
	wrong := func(err error) {
		if err != nil {
			problems = append(problems, err)
		}
	}
	job := queue.Job{Kind: c.Kind, Key: c.Key, Queue: c.Queue, Priority: c.Priority}
	var err error
	job.Payload, err = c.payload(s)
	wrong(err)
	job.RunAt, err = c.runAt(s.Now())
	wrong(err)
	job.Origin, err = instant("origin", c.Origin)
	wrong(err)
	job.Headers, err = c.headers()
	wrong(err)
	if job, err = job.Prepared(max(c.MaxPayload, len(job.Payload)), s.Now()); err != nil {
		wrong(err)
	}
	switch len(problems) {
	case 0:
		return job, nil
	case 1:
		return job, problems[0]
	}
	return job, &queue.Error{Op: enqueueOp, Subject: named(c.Kind) + "/" + named(clip(c.Key, 80)), Reason: queue.ErrInvalid, Detail: fmt.Sprintf("%d problems", len(problems)), Cause: problems}
}

func (c enqueueCmd) payload(s *session) ([]byte, error) {
	switch {
	case c.MaxPayload < 1 || c.MaxPayload > 64<<20:
		return nil, usagef(enqueueOp, "use 1 to 67108864", "--max-payload is %d", c.MaxPayload)
	case c.Payload == "":
		return nil, usage(enqueueOp, "it has no payload", "add --payload JSON, @FILE, or - for stdin; '{}' where its kind takes no arguments")
	}
	// Spaces of indented JSON do not count: only what is sent does.
	l := limit{bytes: c.MaxPayload, room: 4 * c.MaxPayload, remedy: "keep the data in your store and hand in its id (claim check), or raise --max-payload"}
	b, err := s.input(enqueueOp, "payload", c.Payload, l)
	if err != nil {
		return nil, err
	}
	if !c.Raw {
		var compact, escaped bytes.Buffer
		if err := json.Compact(&compact, b); err != nil {
			return nil, &queue.Error{Op: enqueueOp, Reason: queue.ErrInvalid, Detail: "its payload is not JSON", Cause: err, Remedy: "quote it for your shell: '{\"id\":\"o-17\"}'; or add --raw for other bytes"}
		}
		json.HTMLEscape(&escaped, compact.Bytes())
		b = escaped.Bytes()
	}
	return b, l.fits(enqueueOp, "payload", b)
}

func (c enqueueCmd) runAt(now time.Time) (time.Time, error) {
	switch {
	case c.At != "" && c.In != "":
		return time.Time{}, usage(enqueueOp, "it has --at and --in as well", "give one of the two")
	case c.In != "":
		d, err := time.ParseDuration(c.In)
		if err != nil || d < 0 {
			return time.Time{}, usagef(enqueueOp, "write a length such as 90s, 15m or 36h", "--in is %.40q", c.In)
		}
		return now.Add(d), nil
	case c.At == "":
		return time.Time{}, nil
	}
	t, err := instant("at", c.At)
	if err == nil && t.Before(now) {
		return t, usagef(enqueueOp, "leave --at out to run it at once", "--at %s has passed, %s ago", t.Format(time.RFC3339), long(now.Sub(t)))
	}
	return t, err
}

// instant reads a time of a flag; empty: none.
func instant(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, usagef(enqueueOp, "write it with its zone, such as 2030-01-31T08:00:00Z or 2030-01-31T09:00:00+01:00", "--%s is %.40q", flag, text)
	}
	return t, nil
}

func (c enqueueCmd) headers() (queue.Headers, error) {
	var h queue.Headers
	for _, text := range c.Header {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, usagef(enqueueOp, "write --header NAME=VALUE", "--header is %.40q", text)
		}
		if _, twice := h[name]; twice {
			return nil, usagef(enqueueOp, "give each header once", "the header %.40q is given twice", name)
		}
		if h == nil {
			h = queue.Headers{}
		}
		h[name] = value
	}
	return h, nil
}
