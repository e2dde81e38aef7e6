package worker_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// sealer is a ledger that can only be sealed.
type sealer struct {
	ledger.Store
	mu    sync.Mutex
	fail  int
	seals []int64
	check func()
}

var made = []queue.Effect{{Step: "charge", State: queue.EffectRecorded}, {Step: "mail", State: queue.EffectUnknown}}

func (l *sealer) Seal(_ context.Context, _ queue.ID, token int64) ([]queue.Effect, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seals = append(l.seals, token)
	l.check()
	if l.fail > 0 {
		l.fail--
		return nil, errors.New("no ledger today")
	}
	return made, nil
}

// Whichever way to dead: sealed first, with the attempt's token, and the effects listed.
func TestDeathIsSealedFirst(t *testing.T) {
	for _, fail := range []int{0, 2} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			var ids []queue.ID
			l := &sealer{fail: fail}
			l.check = func() {
				if rec := s.record(ids[0]); rec.State != queue.Running {
					t.Errorf("sealed when it was %s", rec.State)
				}
			}
			ids = s.enqueue(plain, 1)
			s.start(worker.Config{Ledger: l}, func(context.Context, twice.Job[args]) error { return errors.New("no") })
			time.Sleep(time.Minute)
			rec := s.want(ids[0], queue.Dead, queue.Counts{Failures: 3})
			if !slices.Equal(rec.Effects, made) {
				t.Errorf("effects %v", rec.Effects)
			}
			if len(l.seals) != 1+fail || l.seals[0] != 3 {
				t.Errorf("sealed at %v", l.seals)
			}
			if n := s.count(worker.LedgerError); n != fail {
				t.Errorf("%d ledger errors told", n)
			}
			s.stop()
		})
	}
}

// Without a seal there is no death: the lease runs out, and the next attempt tries again.
func TestNoSealNoDeath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		l := &sealer{fail: 4, check: func() {}}
		id := s.enqueue(plain, 1)[0]
		s.start(worker.Config{Ledger: l}, func(context.Context, twice.Job[args]) error { return twice.Bury(nil) })
		time.Sleep(20 * time.Second)
		s.want(id, queue.Running, queue.Counts{})
		if s.count(worker.Unsettled) != 1 {
			t.Error("giving up was not told")
		}
		time.Sleep(time.Minute)
		rec := s.want(id, queue.Dead, queue.Counts{Crashes: 1})
		if !slices.Equal(rec.Effects, made) {
			t.Errorf("effects %v", rec.Effects)
		}
		s.stop()
	})
}
