package redis

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// groups gathers what callers enqueue at the same time into one script: while some are under way, others line up.
type groups struct {
	e      *Engine
	mu     sync.Mutex
	queues map[string]*group
}

type group struct {
	waiting []*request
	busy    int
}

// request is one caller's jobs of one queue.
type request struct {
	jobs     []prepared
	receipts []queue.Receipt
	err      error
	done     chan struct{}
}

// prepared is a job as the script gets it.
type prepared struct {
	id     queue.ID
	lane   laneKey
	run    int64
	origin int64
	tail   []byte
	job    *queue.Job
}

const (
	atOnce   = 2    // scripts under way for one queue, of groups
	together = 1000 // jobs in one of them
	// fewCallers are so few that a script costs the server more than what it does for them.
	fewCallers = 16
	// patient bounds a script that nobody's context bounds.
	patient = 30 * time.Second
)

// enqueue carries out a request, with others where there are any.
func (g *groups) enqueue(ctx context.Context, name string, jobs []prepared) ([]queue.Receipt, error) {
	g.mu.Lock()
	if g.queues == nil {
		g.queues = map[string]*group{}
	}
	q := g.queues[name]
	if q == nil {
		q = &group{}
		g.queues[name] = q
	}
	if q.busy == 0 { // nobody is there to share with: no more is between this caller and the server
		q.busy++
		g.mu.Unlock()
		receipts, err := g.e.store(ctx, name, jobs)
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(q.waiting) > 0 {
			go g.serve(name, q)
		} else {
			q.busy--
		}
		return receipts, err
	}
	r := &request{jobs: jobs, done: make(chan struct{})}
	q.waiting = append(q.waiting, r)
	lead := q.busy < atOnce
	if lead {
		q.busy++
	}
	g.mu.Unlock()
	if lead {
		go g.serve(name, q)
	}
	select {
	case <-r.done:
		return r.receipts, r.err
	case <-ctx.Done():
		return nil, &queue.Error{Op: "enqueue", Subject: "redis", Reason: queue.ErrUnknownOutcome, Cause: ctx.Err(), Remedy: "repeat the same call: it is safe"}
	}
}

// serve carries out whatever waits, until nothing does.
func (g *groups) serve(name string, q *group) {
	for {
		// Whoever was just answered may have more to enqueue: those callers line up first, else the one that is quickest goes
		// alone and the others wait for it. More patience would bring all callers into one script, and then they and the
		// server would take turns.
		runtime.Gosched()
		g.mu.Lock()
		if n := len(q.waiting); 0 < n && n < fewCallers {
			g.mu.Unlock()
			runtime.Gosched()
			g.mu.Lock()
		}
		if len(q.waiting) == 0 {
			q.busy--
			g.mu.Unlock()
			return
		}
		var batch []*request
		var jobs []prepared
		for len(q.waiting) > 0 && (len(batch) == 0 || len(jobs)+len(q.waiting[0].jobs) <= together) {
			if batch = append(batch, q.waiting[0]); len(batch) == 1 {
				jobs = slices.Clip(q.waiting[0].jobs)
			} else {
				jobs = append(jobs, q.waiting[0].jobs...)
			}
			q.waiting = q.waiting[1:]
		}
		g.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), patient)
		receipts, err := g.e.store(ctx, name, jobs)
		cancel()
		for _, r := range batch {
			if r.err = err; err == nil {
				r.receipts, receipts = receipts[:len(r.jobs):len(r.jobs)], receipts[len(r.jobs):]
			}
			close(r.done)
		}
	}
}
