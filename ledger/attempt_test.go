package ledger_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/ledger/ledgertest"
	"github.com/twicehq/twice/queue"
)

// bench is a ledger beside the data, its clock, and a job whose attempts are made by hand.
type bench struct {
	*testing.T
	*memory.Ledger
	clock *ledgertest.Clock
	job   queue.ID
	token int64
}

func newBench(t *testing.T) *bench {
	clock := ledgertest.NewClock()
	return &bench{T: t, Ledger: memory.NewLedger(memory.LedgerConfig{Now: clock.Now}), clock: clock, job: queue.NewID("k", "j")}
}

// attempt is the context of the job's next attempt.
func (b *bench) attempt() context.Context {
	b.token++
	return b.attemptOf(b.token)
}

func (b *bench) attemptOf(token int64) context.Context {
	lease := queue.Lease{Job: queue.Job{ID: b.job, Kind: "k", Key: "j"}, Token: token, FreshAt: b.clock.Now()}
	return queue.WithHolding(context.Background(), &queue.Holding{Lease: lease})
}

func (b *bench) state(step string) ledger.State {
	b.Helper()
	entries, err := b.Entries(context.Background(), b.job)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range entries {
		if e.Key.Step == step {
			return e.State
		}
	}
	return ""
}

func (b *bench) wantState(step string, want ledger.State) {
	b.Helper()
	if got := b.state(step); got != want {
		b.Errorf("%s is %q, want %q", step, got, want)
	}
}

func want(t testing.TB, what string, err, reason error) {
	t.Helper()
	if !errors.Is(err, reason) {
		t.Errorf("%s gave %v, want %v", what, err, reason)
	}
}

// remote is a system outside. It counts calls and effects by key.
type remote struct {
	mu      sync.Mutex
	keys    bool           // it honours them
	calls   int            //
	made    map[string]int // effects
	fail    error          // the next call acts, and its reply is lost
	decline error          // calls do nothing
}

func newRemote(keys bool) *remote { return &remote{keys: keys, made: map[string]int{}} }

func (r *remote) call(_ context.Context, key string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if r.decline != nil {
		return "", r.decline
	}
	if !r.keys || r.made[key] == 0 {
		r.made[key]++
	}
	err := r.fail
	r.fail = nil
	return "receipt of " + key, err
}

func (r *remote) find(_ context.Context, key string) (string, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return "receipt of " + key, r.made[key] > 0, nil
}

func (r *remote) counts() (calls, made int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.made {
		made += n
	}
	return r.calls, made
}

func (r *remote) want(t testing.TB, calls, made int) {
	t.Helper()
	if c, m := r.counts(); c != calls || m != made {
		t.Errorf("%d calls made %d effects, want %d and %d", c, m, calls, made)
	}
}

var errLost = errors.New("connection reset")

// effects by what their remote can do.
func withKeys(r *remote) ledger.Effect[string] {
	return ledger.Effect[string]{Step: "charge", Do: r.call, KeyLife: 24 * time.Hour}
}

func askable(r *remote) ledger.Effect[string] {
	return ledger.Effect[string]{Step: "book", Do: r.call, Confirm: r.find}
}

func neither(r *remote) ledger.Effect[string] { return ledger.Effect[string]{Step: "mail", Do: r.call} }
