package httpapi

import (
	"context"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Health says whether the process, or the work it does, is well. It holds nothing that a stranger may not know: why
// it is not stands in the log.
type Health struct {
	Status string  `json:"status"` // ok or unwell
	Checks []Check `json:"checks"`
}

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"` // process, work or engine
	Well   bool   `json:"well"`
	Reason string `json:"reason,omitempty"` // a word, where it is not
}

// status is 503 where anything is unwell.
func (h Health) status() int {
	if h.Status == "ok" {
		return 200
	}
	return 503
}

// probe is one health check. However many ask, it is carried out once at a time, so a check that hangs holds one
// goroutine.
type probe struct {
	checks []check
	limit  time.Duration
	log    func(check string, err error)

	mu  sync.Mutex
	run *run
}

type check struct {
	name string
	do   func(context.Context) error
}

// run is one round of checks that somebody waits for.
type run struct {
	ended chan struct{}
	mu    sync.Mutex
	found map[string]error // of checks that have ended
}

func (s *Server) probes() map[string]*probe {
	log := func(name string, err error) {
		s.cfg.Logger.Warn("health check failed", "check", name, "error", cut(err.Error(), 300))
	}
	make := func(checks ...check) *probe { return &probe{checks: checks, limit: s.cfg.HealthTimeout, log: log} }
	well := func(context.Context) error { return nil }
	live, ready := s.cfg.Live, s.cfg.Ready
	if live == nil {
		live = well
	}
	if ready == nil {
		ready = well
	}
	return map[string]*probe{
		"live":  make(check{"process", live}),
		"ready": make(check{"work", ready}, check{"engine", s.engine.Ping}),
	}
}

func (s *Server) live(ctx context.Context, _ *call) (Health, error) {
	return s.health["live"].ask(ctx), nil
}

func (s *Server) ready(ctx context.Context, _ *call) (Health, error) {
	return s.health["ready"].ask(ctx), nil
}

// ask waits for the checks, for the probe's limit at most.
func (p *probe) ask(ctx context.Context) Health {
	r := p.join()
	limit := time.NewTimer(p.limit)
	defer limit.Stop()
	select {
	case <-r.ended:
	case <-limit.C:
	case <-ctx.Done():
	}
	h := Health{Status: "ok"}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range p.checks {
		err, ended := r.found[c.name]
		one := Check{Name: c.name, Well: ended && err == nil}
		switch {
		case !ended:
			one.Reason = "no_answer"
		case err != nil:
			one.Reason = "unwell"
			if all := words(timed(err, false)); len(all) > 0 {
				one.Reason = all[0].word
			}
		}
		if !one.Well {
			h.Status = "unwell"
		}
		h.Checks = append(h.Checks, one)
	}
	return h
}

// join gives the round under way, or begins one.
func (p *probe) join() *run {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil {
		return p.run
	}
	r := &run{ended: make(chan struct{}), found: map[string]error{}}
	p.run = r
	go p.carryOut(r)
	return r
}

func (p *probe) carryOut(r *run) {
	ctx, cancel := context.WithTimeout(context.Background(), p.limit)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range p.checks {
		all.Go(func() {
			err := guarded(ctx, c.do)
			if err != nil {
				p.log(c.name, err)
			}
			r.mu.Lock()
			r.found[c.name] = err
			r.mu.Unlock()
		})
	}
	all.Wait()
	p.mu.Lock()
	p.run = nil
	p.mu.Unlock()
	close(r.ended)
}

// guarded makes an error of a panic.
func guarded(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if recover() != nil {
			err = &queue.Error{Op: "check", Reason: ErrInternal, Detail: "it panicked"}
		}
	}()
	return do(ctx)
}
