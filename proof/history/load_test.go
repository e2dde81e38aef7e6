package history

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// load is work on one engine by many clients at once. Some lose their replies, some freeze while they hold a lease and
// go on when another claim has it, some forget it.
type load struct {
	t    *testing.T
	seed uint64
	rec  *Recorder
	jobs []queue.Job
	open []queue.Engine // handles, each recorded; clients take turns

	mu     sync.Mutex
	newest map[queue.ID]int64
}

const (
	loadTTL  = 30 * time.Millisecond
	loadCap  = 3
	loadKind = "k"
)

var tester = queue.Actor{Name: "tester", Why: "test"}

func newLoad(t *testing.T, rec *Recorder, jobs int, handles ...queue.Engine) *load {
	l := &load{t: t, seed: 7, rec: rec, open: handles, newest: map[queue.ID]int64{}}
	for i := range jobs {
		key := fmt.Sprint(i)
		l.jobs = append(l.jobs, queue.Job{ID: queue.NewID(loadKind, key), Queue: "q", Kind: loadKind, Key: key, Payload: []byte(key)})
	}
	return l
}

// run works for the time given and then looks at every job.
func (l *load) run(box time.Duration) []Op {
	l.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), box)
	defer stop()
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() { l.client(ctx, n) })
	}
	all.Go(func() { l.produce(ctx) })
	all.Go(func() { l.operate(ctx) })
	all.Wait()
	ids := make([]queue.ID, len(l.jobs))
	for i, j := range l.jobs {
		ids[i] = j.ID
	}
	for end := time.Now().Add(20 * time.Second); ; { // the connection may have to come back
		err := l.rec.Look(context.Background(), l.open[0], ids...)
		if err == nil {
			break
		}
		if time.Now().After(end) {
			l.t.Fatal(err)
		}
	}
	return l.rec.Ops()
}

func (l *load) random(n int) *rand.Rand { return rand.New(rand.NewPCG(l.seed, uint64(n))) }

func (l *load) produce(ctx context.Context) {
	r := l.random(100)
	for n := 0; ctx.Err() == nil; n++ {
		j := l.jobs[n%len(l.jobs)]
		if n >= len(l.jobs) {
			j = l.jobs[r.IntN(len(l.jobs))]
			if r.IntN(4) == 0 {
				j.Payload = []byte("other")
			}
			pause(ctx, 5*time.Millisecond)
		}
		for try := 0; try < 5; try++ { // an unknown outcome is asked again
			if _, err := l.open[n%len(l.open)].Enqueue(ctx, j); err == nil || ctx.Err() != nil {
				break
			}
		}
	}
}

// pause paces a client; nothing depends on how long it is.
func pause(ctx context.Context, d time.Duration) {
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-ctx.Done()
}

func (l *load) operate(ctx context.Context) {
	r, e := l.random(101), l.open[0]
	op, err := queue.Need[queue.Operator](e, "load")
	if err != nil {
		l.t.Error(err)
		return
	}
	for ctx.Err() == nil {
		id := l.jobs[r.IntN(len(l.jobs))].ID
		switch r.IntN(8) {
		case 0:
			_, _ = op.Cancel(ctx, tester, queue.Cut{ID: id})
		case 1:
			l.mu.Lock()
			token := l.newest[id]
			l.mu.Unlock()
			_, _ = op.Cancel(ctx, tester, queue.Cut{ID: id, Sealed: true, Token: token})
		case 2:
			_, _ = op.Discard(ctx, tester, id)
		default:
			_, _ = op.Redrive(ctx, tester, id)
		}
		pause(ctx, 4*time.Millisecond)
	}
}

func (l *load) client(ctx context.Context, n int) {
	r, e := l.random(n), l.open[n%len(l.open)]
	var frozen []queue.Lease
	for ctx.Err() == nil {
		req := queue.Claim{ID: queue.NewClaimID(), Worker: fmt.Sprint("w", n), Queues: []string{"q"}, Kinds: []string{loadKind},
			Max: 1 + r.IntN(3), TTL: loadTTL, Wait: 5 * time.Millisecond, CrashCaps: map[string]int{loadKind: loadCap}, Lone: n == 0}
		leases, err := e.Claim(ctx, req)
		for try := 0; err != nil && try < 2 && ctx.Err() == nil; try++ {
			leases, err = e.Claim(ctx, req)
		}
		l.note(leases)
		for _, lease := range leases {
			switch r.IntN(6) {
			case 0: // its process is gone
			case 1:
				frozen = append(frozen, lease)
			case 2:
				_, _ = e.Extend(ctx, loadTTL, lease)
				l.settle(ctx, e, r, lease)
			default:
				l.settle(ctx, e, r, lease)
			}
		}
		frozen = l.thaw(ctx, e, r, frozen)
	}
}

func (l *load) note(leases []queue.Lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lease := range leases {
		l.newest[lease.Job.ID] = max(l.newest[lease.Job.ID], lease.Token)
	}
}

// thaw lets those go on whose job another claim has by now.
func (l *load) thaw(ctx context.Context, e queue.Engine, r *rand.Rand, frozen []queue.Lease) (still []queue.Lease) {
	for _, lease := range frozen {
		l.mu.Lock()
		replaced := l.newest[lease.Job.ID] > lease.Token
		l.mu.Unlock()
		if !replaced {
			still = append(still, lease)
			continue
		}
		_, _ = e.Extend(ctx, loadTTL, lease)
		l.settle(ctx, e, r, lease)
	}
	return still
}

func (l *load) settle(ctx context.Context, e queue.Engine, r *rand.Rand, lease queue.Lease) {
	s := queue.Settlement{Lease: lease, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure}
	switch {
	case lease.Counts.Crashes >= loadCap:
		s = queue.Settlement{Lease: lease, State: queue.Dead, Outcome: queue.OutcomeBuried, Reason: queue.ReasonCrashes}
	case lease.Counts.Failures >= 3:
		s.State, s.Reason = queue.Dead, queue.ReasonFailures
	case r.IntN(6) == 0:
		s.Outcome, s.Count = queue.OutcomeSnoozed, queue.CountSnooze
		s.RunAt = lease.ClaimedAt.Add(20 * time.Millisecond)
	case r.IntN(4) == 0:
		s = queue.Settlement{Lease: lease, State: queue.Done, Outcome: queue.OutcomeDone}
	}
	for try := 0; try < 3 && ctx.Err() == nil; try++ {
		errs, err := e.Settle(ctx, s)
		if err == nil && (errs[0] == nil || errors.Is(errs[0], queue.ErrLeaseLost)) && r.IntN(4) > 0 {
			return // else it is sent once more
		}
	}
}

// lossy loses replies: of one call in every so many the caller is not told whether it was carried out; half of these were.
type lossy struct {
	queue.Engine
	mu    sync.Mutex
	r     *rand.Rand
	every int
}

func loseReplies(e queue.Engine, every int) *lossy {
	return &lossy{Engine: e, r: rand.New(rand.NewPCG(1, uint64(every))), every: every}
}

func (e *lossy) Unwrap() queue.Engine { return e.Engine }

func (e *lossy) lose() (lost, before bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.r.IntN(e.every) == 0, e.r.IntN(2) == 0
}

var errLost = &queue.Error{Op: "test", Reason: queue.ErrUnknownOutcome}

func loses[T any](e *lossy, call func() (T, error)) (T, error) {
	var none T
	lost, before := e.lose()
	if lost && before {
		return none, errLost
	}
	v, err := call()
	if lost {
		return none, errLost
	}
	return v, err
}

func (e *lossy) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	return loses(e, func() ([]queue.Receipt, error) { return e.Engine.Enqueue(ctx, jobs...) })
}

func (e *lossy) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	return loses(e, func() ([]queue.Lease, error) { return e.Engine.Claim(ctx, req) })
}

func (e *lossy) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	return loses(e, func() ([]error, error) { return e.Engine.Extend(ctx, ttl, leases...) })
}

func (e *lossy) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	return loses(e, func() ([]error, error) { return e.Engine.Settle(ctx, ends...) })
}

// Exchange keeps workers from going past it.
func (e *lossy) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	inner, err := queue.Need[queue.Exchanger](e.Engine, "exchange")
	if err != nil {
		return nil, nil, err
	}
	var leases []queue.Lease
	errs, err := loses(e, func() (errs []error, err error) {
		errs, leases, err = inner.Exchange(ctx, ends, req)
		return errs, err
	})
	if err != nil {
		return nil, nil, err
	}
	return errs, leases, nil
}
