package explore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// told writes down what is asked of an engine and of a ledger, in order.
type told struct {
	*memory.Engine
	ledger.Store
	calls []string
	claim func() // while the operator is between its seal and its cancel, once
}

func (c *told) add(what string, args ...any) { c.calls = append(c.calls, fmt.Sprintf(what, args...)) }

type toldEngine struct {
	*memory.Engine
	*told
}

type toldLedger struct {
	ledger.Store
	*told
}

func (c toldEngine) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	r, err := c.told.Engine.Job(ctx, id)
	c.add("read token %d", r.Token)
	return r, err
}

func (c toldEngine) Cancel(ctx context.Context, by queue.Actor, cuts ...queue.Cut) ([]error, error) {
	errs, err := c.told.Engine.Cancel(ctx, by, cuts...)
	c.add("cancel at token %d: %v", cuts[0].Token, errs[0] == nil)
	return errs, err
}

func (c toldEngine) MoveMark(ctx context.Context, t time.Time) error {
	c.add("the engine's mark")
	return c.told.Engine.MoveMark(ctx, t)
}

func (c toldEngine) Reap(ctx context.Context, limit int) (int, error) {
	c.add("reap")
	return c.told.Engine.Reap(ctx, limit)
}

func (c toldLedger) Seal(ctx context.Context, id queue.ID, token int64) ([]queue.Effect, error) {
	c.add("seal token %d", token)
	if c.claim != nil {
		c.claim()
		c.told.claim = nil
	}
	return c.told.Store.Seal(ctx, id, token)
}

func (c toldLedger) MoveMark(ctx context.Context, t time.Time) error {
	c.add("the ledger's mark")
	return c.told.Store.MoveMark(ctx, t)
}

func (c toldLedger) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	c.add("sweep")
	return c.told.Store.Sweep(ctx, limit, forgotten)
}

// The walks have an operator and a reaper of their own. These are the steps that ledger.Cancel and ledger.Reap take.
func TestOperatorAndReaperGoInTheWalksOrder(t *testing.T) {
	e, err := memory.New(memory.Config{})
	must(t, err)
	c := &told{Engine: e, Store: memory.NewLedger(memory.LedgerConfig{})}
	_, err = e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: "a"})
	must(t, err)
	c.claim = func() {
		_, err := e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: time.Minute})
		must(t, err)
	}
	engine, store := toldEngine{e, c}, toldLedger{c.Store, c}
	errs, err := ledger.Cancel(ctx, engine, store, queue.Actor{Name: "ann", Why: "test"}, theJob)
	must(t, err)
	must(t, errs[0])
	want(t, c, "read token 0", "seal token 0", "cancel at token 0: false", "read token 1", "seal token 1", "cancel at token 1: true")
	_, err = ledger.Reap(ctx, engine, store, ledger.Reaping{Now: time.Now()})
	must(t, err)
	want(t, c, "the engine's mark", "the ledger's mark", "reap", "sweep")
}

func want(t *testing.T, c *told, calls ...string) {
	t.Helper()
	if !slices.Equal(c.calls, calls) {
		t.Errorf("it called %q, want %q", c.calls, calls)
	}
	c.calls = nil
}
