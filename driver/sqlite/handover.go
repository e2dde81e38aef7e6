package sqlite

import (
	"errors"

	"github.com/twicehq/twice/queue"
)

// A claim that sleeps is served by the very commit that makes work for it: job and lease become durable by one fsync,
// where waking the claim would cost a second. Else whoever waits is woken after the commit, and looks.

// What a waiter is doing.
const (
	awake int32 = iota
	asleep
	served // a commit under way leases jobs to it
)

// handover is what a commit leases to a sleeper.
type handover struct {
	to     *waiter
	leases []queue.Lease
}

// sleeper takes a claim that sleeps and wants work of the lane: until it is answered it sleeps on. Claims of suspects are
// woken instead: what a commit makes due is hardly ever one.
func (a *alarm) sleeper(l laneKey) *waiter {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asleep == 0 {
		return nil
	}
	for w := range a.waiting {
		if !w.req.Lone && w.queues[l.queue] && w.kinds[l.kind] && w.doing.CompareAndSwap(asleep, served) {
			return w
		}
	}
	return nil
}

// handOver serves sleepers with what the transaction made due, after all else in it. An error spoils the transaction.
func (w *writer) handOver(t *txn) error {
	for l := range t.woken {
		to := w.e.wake.sleeper(l)
		if to == nil {
			continue
		}
		var leases []queue.Lease
		err := w.raw(func() (err error) {
			leases, _, err = t.claim(to.req)
			return err
		})
		t.handed = append(t.handed, handover{to, leases})
		var known *queue.Error
		if err != nil && !errors.As(err, &known) {
			return err
		}
		if len(leases) > 0 && len(leases) < to.req.Max { // it took all there is
			delete(t.woken, l)
		}
	}
	return nil
}

// answer ends what handOver began: with the leases, where they are committed; else the sleeper looks for itself.
func (h handover) answer(committed bool) {
	if committed && len(h.leases) > 0 {
		h.to.got <- h.leases
		return
	}
	if h.to.doing.CompareAndSwap(served, asleep) {
		h.to.ring()
	}
}
