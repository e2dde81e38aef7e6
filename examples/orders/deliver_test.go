package orders_test

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/queue"
)

// ttl is how long the leases of these tests last, by the engine's clock.
const ttl = 30 * time.Second

// claim leases the next due job; false where there is none.
func (w *world) claim(worker string) (queue.Lease, bool) {
	w.Helper()
	leases, err := w.engine.Claim(w.Context(), queue.Claim{
		ID: queue.NewClaimID(), Worker: worker, Max: 1, TTL: ttl,
		Queues:    []string{jobs.PaymentsQueue, jobs.MailQueue},
		Kinds:     []string{jobs.ChargeKind, jobs.ReceiptKind, jobs.ReconcileKind},
		CrashCaps: map[string]int{jobs.ChargeKind: 3, jobs.ReceiptKind: 3, jobs.ReconcileKind: 3},
	})
	if err != nil {
		w.Fatal(err)
	}
	if len(leases) == 0 {
		return queue.Lease{}, false
	}
	return leases[0], true
}

// expire lets the engine's clock pass the end of every lease, while it goes on serving writes: so a lease
// that runs out is the worker's fault and not the engine's.
func (w *world) expire() {
	w.Helper()
	for range 4 {
		w.clock.move(ttl / 2)
		if err := w.engine.Ping(w.Context()); err != nil {
			w.Fatal(err)
		}
	}
}

// reclaim lets a lease run out and claims its job for another worker.
func (w *world) reclaim(a queue.Lease) queue.Lease {
	w.Helper()
	w.expire()
	b, ok := w.claim("b")
	if !ok || b.Job.ID != a.Job.ID || b.Token <= a.Token {
		w.Fatalf("after the lease of %s ran out, another worker got %v (%v)", a.Job.ID, b.Job.ID, ok)
	}
	return b
}

// deliver runs the job's handler, whole, and settles as a worker does. It gives the engine's answer:
// ErrLeaseLost where this delivery no longer counts.
func (w *world) deliver(ctx context.Context, lease queue.Lease) error {
	settled, answer := w.app.Processors.Deliver(twice.WithLogger(ctx, w.logger), lease)
	if settled || errors.Is(answer, queue.ErrLeaseLost) {
		return answer
	}
	end := queue.Settlement{Lease: lease, State: queue.Done, Outcome: queue.OutcomeDone}
	var buried *twice.Buried
	switch {
	case errors.As(answer, &buried):
		end = queue.Settlement{Lease: lease, State: queue.Dead, Outcome: queue.OutcomeBuried, Reason: queue.ReasonBuried, Error: answer.Error()}
	case errors.Is(answer, queue.ErrInDoubt):
		end = queue.Settlement{Lease: lease, State: queue.Dead, Outcome: queue.OutcomeBuried, Reason: queue.ReasonDoubt, Error: answer.Error()}
	case answer != nil:
		end = queue.Settlement{Lease: lease, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: answer.Error()}
	}
	refused, err := w.engine.Settle(ctx, end)
	return errors.Join(append(refused, err)...)
}

// once delivers a job once.
func (w *world) once(a queue.Lease) {
	w.Helper()
	w.told(w.deliver(w.Context(), a))
}

// again delivers a job twice: the first worker is frozen when it has done everything but its last
// transaction; its lease runs out, and another worker gets the job and runs it, whole; then the first
// goes on. Afterwards both run the handler once more with the leases that they had.
func (w *world) again(a queue.Lease) {
	w.Helper()
	g := newGate()
	first := make(chan error, 1)
	go func() { first <- w.deliver(context.WithValue(w.Context(), gateKey{}, g), a) }()
	select {
	case <-g.reached:
	case err := <-first:
		w.Fatalf("the first delivery of %s ended before its last transaction: %v", a.Job.Kind, err)
	}
	b := w.reclaim(a)
	w.told(w.deliver(w.Context(), b))
	close(g.open)
	if err := <-first; !errors.Is(err, queue.ErrLeaseLost) {
		w.Errorf("%s: the first worker, thawed after the end, was told %v; want lease lost", a.Job.Kind, err)
	}
	for _, lease := range []queue.Lease{a, b} {
		_, _ = w.app.Processors.Deliver(twice.WithLogger(w.Context(), w.logger), lease) // whatever it answers, the world must not change
	}
}

// sideBySide delivers a job to two workers at the same time: the lease of one has run out and it does
// not know.
func (w *world) sideBySide(a queue.Lease) {
	w.Helper()
	b := w.reclaim(a)
	start := make(chan struct{})
	late := make(chan error, 1)
	go func() {
		<-start
		late <- w.deliver(w.Context(), a)
	}()
	close(start)
	w.told(w.deliver(w.Context(), b))
	if err := <-late; !errors.Is(err, queue.ErrLeaseLost) {
		w.Errorf("%s: the worker whose lease had run out was told %v; want lease lost", a.Job.Kind, err)
	}
}

// next leases the next due job, which must be there.
func (w *world) next() queue.Lease {
	w.Helper()
	lease, ok := w.claim("a")
	if !ok {
		w.Fatal("no job is due")
	}
	return lease
}

// later lets the engine's clock pass the backoff of a job that failed.
func (w *world) later() { w.clock.move(time.Second) }

// drain delivers every due job, until there is none, and tells how many there were.
func (w *world) drain(how func(queue.Lease)) int {
	w.Helper()
	for n := 0; ; n++ {
		lease, ok := w.claim("a")
		if !ok {
			return n
		}
		how(lease)
	}
}
