package history

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// liar answers a settlement whose lease is lost as if it had been applied.
type liar struct{ queue.Engine }

func (e liar) Unwrap() queue.Engine { return e.Engine }

func (e liar) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	errs, err := e.Engine.Settle(ctx, ends...)
	for i := range errs {
		if errors.Is(errs[i], queue.ErrLeaseLost) {
			errs[i] = nil
		}
	}
	return errs, err
}

// unfenced lets whoever had a lease settle the job under the lease that somebody else has now.
type unfenced struct {
	queue.Engine
	mu   sync.Mutex
	held map[queue.ID]queue.Lease
}

func (e *unfenced) Unwrap() queue.Engine { return e.Engine }

func (e *unfenced) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	leases, err := e.Engine.Claim(ctx, req)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range leases {
		if l.Token > e.held[l.Job.ID].Token {
			e.held[l.Job.ID] = l
		}
	}
	return leases, err
}

func (e *unfenced) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	own := append([]queue.Settlement(nil), ends...)
	e.mu.Lock()
	for i, s := range own {
		own[i].Lease = e.held[s.Lease.Job.ID]
	}
	e.mu.Unlock()
	return e.Engine.Settle(ctx, own...)
}

// forgetful loses every third job that it accepts.
type forgetful struct {
	queue.Engine
	mu sync.Mutex
	n  int
}

func (e *forgetful) Unwrap() queue.Engine { return e.Engine }

func (e *forgetful) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	e.mu.Lock()
	e.n++
	lose := e.n%3 == 0
	e.mu.Unlock()
	if !lose {
		return e.Engine.Enqueue(ctx, jobs...)
	}
	var receipts []queue.Receipt
	for _, j := range jobs {
		receipts = append(receipts, queue.Receipt{ID: j.ID, Status: queue.Accepted})
	}
	return receipts, nil
}

// A check that cannot refuse proves nothing: engines that are broken on purpose are found, with faults around them,
// and the other checker agrees.
func TestBrokenEnginesAreRefused(t *testing.T) {
	for name, control := range map[string]struct {
		spoil func(queue.Engine) queue.Engine
		rules []Rule
	}{
		"a lost lease is answered as a success": {func(e queue.Engine) queue.Engine { return liar{e} }, []Rule{Fence, Terminal}},
		"an old lease settles": {func(e queue.Engine) queue.Engine { return &unfenced{Engine: e, held: map[queue.ID]queue.Lease{}} },
			[]Rule{Fence, Held, Terminal, Seen, Counted}},
		"jobs are lost": {func(e queue.Engine) queue.Engine { return &forgetful{Engine: e} }, []Rule{Lost, Once, Identity, Operated}},
	} {
		t.Run(name, func(t *testing.T) {
			rec := NewRecorder(nil)
			e := rec.Engine(loseReplies(control.spoil(openMemory(t)), 12), "control")
			ops := newLoad(t, rec, 40, e).run(600 * time.Millisecond)
			report := Check(ops, Config{})
			if len(report.Breaches) == 0 {
				t.Fatal("it is not refused")
			}
			if !slices.ContainsFunc(report.Breaches, func(b Breach) bool { return has(control.rules, b.Rule) }) {
				t.Errorf("for no likely rule: %v", report.Breaches)
			}
			t.Logf("%d of %d jobs refused; one: %s", len(report.Breaches), report.Jobs, report.Breaches[0])
			if _, ok := linearizable(t, ops); ok {
				t.Error("the other checker finds nothing")
			}
		})
	}
}

func has(rules []Rule, r Rule) bool { return slices.Contains(rules, r) }
