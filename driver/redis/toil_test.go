package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// toil is producers and workers on one engine that go on whatever happens, repeating each call until it is answered,
// and what they were told.
type toil struct {
	t                *testing.T
	e                *Engine
	ttl              time.Duration
	queues           []string
	stop             atomic.Bool // producers stop; workers go on until all is done
	producing        atomic.Int64
	quit             atomic.Bool
	all              sync.WaitGroup
	ended            atomic.Int64 // how many were told done
	refused, longest atomic.Int64 // calls that failed; the longest of all calls

	mu       sync.Mutex
	accepted map[queue.ID]time.Time
	done     map[queue.ID]time.Time
	twice    []time.Time // of those that two leases ended, when the first did
	reasons  map[error]int
}

// work starts two producers and two workers.
func work(t *testing.T, e *Engine, queues ...string) *toil {
	return workFor(t, e, 30*time.Second, queues...)
}

// workFor is work with leases of that length.
func workFor(t *testing.T, e *Engine, ttl time.Duration, queues ...string) *toil {
	w := &toil{t: t, e: e, ttl: ttl, queues: queues, accepted: map[queue.ID]time.Time{}, done: map[queue.ID]time.Time{}, reasons: map[error]int{}}
	for n := range 2 {
		w.producing.Add(1)
		w.all.Go(func() { defer w.producing.Add(-1); w.produce(n) })
		w.all.Go(w.consume)
	}
	t.Cleanup(func() {
		w.stop.Store(true)
		w.quit.Store(true)
		w.all.Wait()
	})
	return w
}

var passing = []error{queue.ErrUnknownOutcome, queue.ErrUnavailable, queue.ErrFull, queue.ErrReadOnly}

// call carries a call out again and again until it is answered; false where the test ends before.
func (w *toil) call(fn func(context.Context) error) bool {
	for !w.quit.Load() {
		began := time.Now()
		err := fn(context.Background())
		took := int64(time.Since(began))
		for old := w.longest.Load(); took > old && !w.longest.CompareAndSwap(old, took); old = w.longest.Load() {
		}
		if err == nil {
			return true
		}
		w.refused.Add(1)
		var known error
		if i := slices.IndexFunc(passing, func(reason error) bool { return errors.Is(err, reason) }); i >= 0 {
			known = passing[i]
		}
		w.mu.Lock()
		w.reasons[known]++
		w.mu.Unlock()
		if known == nil && !w.quit.Load() {
			w.t.Errorf("an error that says nothing: %v", err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func (w *toil) produce(producer int) {
	for i := 0; !w.stop.Load(); i++ {
		jobs := make([]queue.Job, 5)
		for k := range jobs {
			jobs[k] = queue.Job{Queue: w.queues[i%len(w.queues)], Kind: "toil", Key: fmt.Sprintf("%d/%d/%d", producer, i, k), Payload: []byte("{}")}
		}
		var got []queue.Receipt
		if !w.call(func(ctx context.Context) (err error) { got, err = w.e.Enqueue(ctx, jobs...); return err }) {
			return
		}
		now := time.Now()
		w.mu.Lock()
		for _, r := range got {
			if r.Err != nil {
				w.t.Errorf("%v", r.Err)
			}
			w.accepted[r.ID] = now
		}
		backlog := len(w.accepted) - len(w.done)
		w.mu.Unlock()
		if backlog > 100 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func (w *toil) consume() {
	for !w.quit.Load() {
		req := queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: w.queues, Kinds: []string{"toil"}, Max: 20, TTL: w.ttl, Wait: 200 * time.Millisecond}
		var leases []queue.Lease
		if !w.call(func(ctx context.Context) (err error) { leases, err = w.e.Claim(ctx, req); return err }) {
			return
		}
		ends := make([]queue.Settlement, len(leases))
		for i, l := range leases {
			ends[i] = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
		}
		var answers []error
		if len(ends) == 0 || !w.call(func(ctx context.Context) (err error) { answers, err = w.e.Settle(ctx, ends...); return err }) {
			continue
		}
		now := time.Now()
		w.mu.Lock()
		for i, err := range answers {
			id := leases[i].Job.ID
			if err != nil {
				if !errors.Is(err, queue.ErrLeaseLost) {
					w.t.Errorf("settle: %v", err)
				}
				continue
			}
			if first, is := w.done[id]; is {
				w.twice = append(w.twice, first)
			}
			w.done[id] = now
			w.ended.Add(1)
		}
		w.mu.Unlock()
	}
}

// goesOn waits until n more are done, and says how long that took.
func (w *toil) goesOn(n int64) time.Duration {
	w.t.Helper()
	began, until := time.Now(), w.ended.Load()+n
	await(w.t, fmt.Sprintf("%d jobs more are done", n), func() bool { return w.ended.Load() >= until })
	return time.Since(began)
}

// finish stops the producers, waits until all that was accepted is done, and checks the books. lost are those that
// were accepted and are not done.
func (w *toil) finish() (lost []queue.ID) {
	w.t.Helper()
	w.stop.Store(true)
	await(w.t, "the last enqueue is answered", func() bool { return w.producing.Load() == 0 })
	var said string
	await(w.t, "nothing is left to do", func() bool {
		books, err := w.e.Audit(context.Background())
		left := int64(0)
		for _, b := range books {
			if !slices.Contains(w.queues, b.Queue) {
				continue
			}
			left += b.Found.Queued + b.Found.Running + max(b.Missing(), -b.Missing())
		}
		said = fmt.Sprintf("%+v %v", books, err)
		return err == nil && left == 0
	})
	w.quit.Store(true)
	w.all.Wait()
	ids := slices.Collect(maps.Keys(w.accepted))
	states := map[queue.State]int{}
	found, err := w.e.find(context.Background(), ids)
	if err != nil {
		w.t.Fatal(err)
	}
	for i, f := range found {
		if f == nil || f.rec.state != queue.Done {
			lost = append(lost, ids[i])
			if f != nil {
				states[f.rec.state]++
			}
		}
	}
	w.t.Logf("%d accepted, %d done, %d lost (of them still there %v), %d twice; %d calls failed %v, the longest took %s", len(w.accepted), len(w.done), len(lost), states, len(w.twice),
		w.refused.Load(), w.reasons, time.Duration(w.longest.Load()).Round(time.Millisecond))
	if len(w.accepted) == 0 || w.t.Failed() {
		w.t.Fatal(said)
	}
	return lost
}

// whole is finish where nothing may be lost or doubled.
func (w *toil) whole() {
	w.t.Helper()
	if lost := w.finish(); len(lost) > 0 || len(w.twice) > 0 {
		w.t.Errorf("lost %d, done twice %d", len(lost), len(w.twice))
	}
}
