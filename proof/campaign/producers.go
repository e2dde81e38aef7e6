package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twicehq/twice/queue"
)

// Producers are processes of their own that enqueue: where an engine lives in its callers' processes, to end them is to
// end the engine.

// Told by a producer of each job, with the job's number as token: that it is about to be sent, and that it was acknowledged.
const (
	Sending      Point = "sending"
	Acknowledged Point = "acknowledged"
)

// KillProducers ends a producer process with SIGKILL, at whatever it does; its supervisor starts it again.
var KillProducers = Attack{Name: "kill -9 of producers", Strike: func(f *Field, _ *Process) (func(context.Context) error, error) {
	var live []*Process
	for _, p := range f.producers.processes() {
		if p.live() {
			live = append(live, p)
		}
	}
	if len(live) == 0 {
		return nil, nil
	}
	return nil, live[rand.IntN(len(live))].Kill()
}}

const (
	firstProduced = 1 << 28 // the number of the first job
	perSlot       = 10_000_000
	perRun        = 10_000
	producePause  = 5 * time.Millisecond
)

// produce enqueues until ctx ends, up to three jobs at a time. What is sent has a number that no other process uses.
func (r role) produce(ctx context.Context, store *Store, t *teller) error {
	var slot, run int
	if _, err := fmt.Sscanf(r.Name, producerNames, &slot, &run); err != nil {
		return err
	}
	kind := Kind(r.MaxCrashes, r.MaxFailures)
	t.tell(Event{Point: Ready})
	base := firstProduced + slot*perSlot + run*perRun
	for n := 0; n < perRun-3 && ctx.Err() == nil; {
		jobs := make([]queue.Job, 1+rand.IntN(3))
		for i := range jobs {
			var err error
			a := Args{N: base + n}
			if jobs[i], err = kind.Job(ctx, a, options(a)...); err != nil {
				return err
			}
			t.tell(Event{Point: Sending, Job: jobs[i].ID, Token: int64(a.N)})
			n++
		}
		receipts, err := store.Engine.Enqueue(ctx, jobs...)
		for i := range receipts {
			if s := receipts[i].Status; err == nil && (s == queue.Accepted || s == queue.Duplicate) {
				t.tell(Event{Point: Acknowledged, Job: jobs[i].ID})
			}
		}
		if err != nil && !passing(err) && ctx.Err() == nil {
			return err
		}
		select {
		case <-time.After(producePause):
		case <-ctx.Done():
		}
	}
	<-ctx.Done()
	return nil
}

// sent notes what a producer tells, and reports whether it was that.
func (w *world) sent(e Event) bool {
	switch e.Point {
	case Sending:
		w.sending[e.Job] = int(e.Token)
	case Acknowledged:
		w.accepted[e.Job] = w.sending[e.Job]
		delete(w.sending, e.Job)
	default:
		return false
	}
	return true
}

// finishProducing ends the producers, and sends again what they have sent and nobody has acknowledged.
func (f *Field) finishProducing(ctx context.Context) error {
	closing, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	if err := f.producers.close(closing); err != nil {
		return err
	}
	if err := f.Until(ctx, "all that producers told is heard", func(context.Context) (bool, error) { return f.wire.silent(producerMark), nil }); err != nil {
		return err
	}
	f.world.mu.Lock()
	var left []Args
	for _, n := range f.world.sending {
		left = append(left, Args{N: n})
	}
	f.world.mu.Unlock()
	for len(left) > 0 {
		n := min(len(left), enqueueBatch)
		receipts, err := f.Enqueue(ctx, left[:n]...)
		if err != nil {
			return err
		}
		for _, r := range receipts {
			if r.Status != queue.Accepted && r.Status != queue.Duplicate {
				err = errors.Join(err, fmt.Errorf("what a killed producer had sent is %s when it is sent again: %w", r.Status, r.Err))
			}
		}
		if err != nil {
			return err
		}
		left = left[n:]
	}
	return nil
}
