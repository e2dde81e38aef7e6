package proof

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// What package worker does around a handler, one step at a time: claim, Begin, run, Decide, seal, settle.

const leaseTTL = 30 * time.Second

func (t *trial) record() queue.Record {
	inspector, err := queue.Need[queue.Inspector](t.engine, "proof")
	t.must("look the job up", err)
	r, err := inspector.Job(context.Background(), t.job.ID)
	if errors.Is(err, queue.ErrNotFound) {
		return t.final
	}
	t.must("look the job up", err)
	t.final = r
	return r
}

// deliver claims the job for the next attempt, and starts it: it stands before its first step. False: the job has ended.
func (t *trial) deliver() bool {
	if len(t.attempts) >= maxAttempts {
		t.fail("", "the job does not end: it was delivered %d times", maxAttempts)
	}
	for {
		lease, ok := t.claim()
		if !ok {
			return false
		}
		if s, run := worker.Begin(lease, t.p.rules, t.clock.now()); !run {
			t.say("", "the job is claimed, and not run: %s", s.Error)
			t.apply("", s)
			continue
		}
		t.begin(lease)
		return true
	}
}

const maxAttempts = 20

// claim waits, in the engine's time, until the job can be leased.
func (t *trial) claim() (queue.Lease, bool) {
	rules := t.p.rules
	for range 3 {
		r := t.record()
		if r.State.Ended() || r.State == queue.Dead || t.reaped {
			return queue.Lease{}, false
		}
		switch now := t.clock.now(); {
		case r.State == queue.Queued && r.RunAt.After(now):
			t.clock.move(r.RunAt.Sub(now))
		case r.State == queue.Running:
			t.say("", "the lease of %s runs out with no word, and the job is claimed again", t.attempts[len(t.attempts)-1].name)
			t.outlast(r.LeaseUntil)
		}
		for _, lone := range []bool{false, true} {
			leases, err := t.engine.Claim(context.Background(), queue.Claim{
				ID: queue.NewClaimID(), Worker: "proof", Queues: []string{rules.Queue}, Kinds: []string{rules.Kind}, Max: 1, TTL: leaseTTL,
				CrashCaps: map[string]int{rules.Kind: rules.Caps.Crashes}, Lone: lone,
			})
			t.must("claim", err)
			for _, l := range leases {
				if l.Job.ID != t.job.ID {
					continue // one that the handler enqueued: it is not run here
				}
				return l, true
			}
		}
	}
	t.fail("", "the job is %s and cannot be claimed", t.record().State)
	return queue.Lease{}, false
}

// outlast lets a lease run out while the engine visibly serves, so that it gives no grace.
func (t *trial) outlast(until time.Time) {
	for !t.clock.now().After(until) {
		t.clock.move(leaseTTL / 3)
		if presence, ok := queue.As[queue.Presence](t.engine); ok {
			t.must("announce", presence.Announce(context.Background(), queue.Worker{Name: "proof"}, time.Hour))
		} else {
			t.must("ping", t.engine.Ping(context.Background()))
		}
	}
}

// begin starts an attempt. It stands at once, before anything is seen of it.
func (t *trial) begin(lease queue.Lease) {
	a := &attempt{t: t, name: letter(len(t.attempts)), arrivals: make(chan *arrival), afters: make(chan *arrival), done: make(chan worker.Ending, 1), exited: make(chan struct{})}
	a.holding.Lease = lease
	a.world = t.process()
	ctx := twice.WithHeaders(queue.WithHolding(context.Background(), &a.holding), lease.Job.Headers)
	ctx = twice.WithLogger(ctx, slog.New(slog.DiscardHandler)) // hundreds of runs say the same
	a.ctx, a.cancel = context.WithCancel(context.WithValue(ctx, attemptKey{}, a))
	t.attempts = append(t.attempts, a)
	t.say(a.name, "begins")
	go a.run()
}

// process gives what the next attempt sees: the memory of the attempt before, where that came to an end; else a new one.
func (t *trial) process() any {
	if n := len(t.attempts); n > 0 {
		if a := t.attempts[n-1]; a.settled && !a.last {
			return a.world
		}
	}
	return t.p.start(t.world)
}
