package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice/queue"
)

func keys(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("k", i)
	}
	return all
}

func trail(t testing.TB, c *Client) (all []TrailEntry) {
	for e, err := range c.Trail(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// Changes by id are over when they are answered; each has an audit row with who, why and how many, and each refusal
// is named.
func TestChange_by_id(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		ids := handIn(t, r.engine, "a", "1", "2", "3")
		queued := handIn(t, r.engine, "b", "1")
		bury(t, r.engine, "a", queue.ReasonFailures, func(queue.Lease) string { return "no" })
		o := must[Operation](t)(c.Redrive(t.Context(), Change{IDs: []queue.ID{ids[0], queued[0], queue.NewID("no", "such")}, Why: because}))
		if o.State != OperationDone || o.Changed != 1 || o.Refused != 2 || len(o.Refusals) != 2 || o.Matched != 3 || o.By != "alice" {
			t.Fatalf("%+v", o)
		}
		if !errors.Is(o.Refusals[0].Error.Err(), queue.ErrState) || !errors.Is(o.Refusals[1].Error.Err(), queue.ErrNotFound) || o.Refusals[0].ID != queued[0] {
			t.Errorf("%+v", o.Refusals)
		}
		if o := must[Operation](t)(c.Discard(t.Context(), Change{IDs: ids[1:2], Why: because})); o.Changed != 1 {
			t.Errorf("%+v", o)
		}
		if o := must[Operation](t)(c.Cancel(t.Context(), Change{IDs: append(queued, ids[0]), Why: because})); o.Changed != 2 {
			t.Errorf("%+v", o)
		}
		for _, want := range []string{"cancel of 2 jobs", "redrive of 3 jobs"} {
			found := false
			for _, e := range trail(t, c) {
				found = found || e.Who == "alice" && e.Why == "a test ("+want+")" && !e.Job.IsZero()
			}
			if !found {
				t.Errorf("%s is not in the trail: %+v", want, trail(t, c))
			}
		}
		if n := len(trail(t, c)); n != 4 {
			t.Errorf("%d rows for 4 changes", n)
		}
	})
}

// A dry run counts and changes nothing, and needs no reason.
func TestChange_dry_run(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		handIn(t, r.engine, "a", keys(250)...)
		bury(t, r.engine, "a", queue.ReasonFailures, func(l queue.Lease) string { return "no order " + l.Job.Key[1:] })
		handIn(t, r.engine, "b", "1", "2")
		doubtful(t, r.engine, r.api.store, "b", "pay")
		sign := queue.Signature("no order 7")
		for _, x := range []struct {
			f       Filter
			limit   int
			matched int
			doubt   int
			more    bool
		}{
			{Filter{All: true}, 0, 250, 2, false}, {Filter{Kind: "a"}, 100, 100, 0, true}, {Filter{Signature: &sign}, 0, 250, 0, false}, {Filter{Kind: "b"}, 0, 0, 2, false},
			{Filter{Queue: "elsewhere"}, 0, 0, 0, false}, {Filter{Reason: queue.ReasonCrashes}, 0, 0, 0, false},
		} {
			o := must[Operation](t)(c.Redrive(t.Context(), Change{Filter: &x.f, Limit: x.limit, DryRun: true}))
			if o.Matched != x.matched || o.InDoubt != x.doubt || o.More != x.more || !o.DryRun || o.Changed != 0 || o.State != OperationDone {
				t.Errorf("%+v: %+v", x, o)
			}
		}
		if o := must[Operation](t)(c.Discard(t.Context(), Change{Filter: &Filter{Reason: queue.ReasonDoubt}, DryRun: true})); o.Matched != 2 {
			t.Errorf("%+v", o)
		}
		if len(trail(t, c)) != 0 {
			t.Error(trail(t, c))
		}
	})
}

// What is wrong with a change is said all at once.
func TestChange_refusals(t *testing.T) {
	r := newRig(t, inMemory(t), Config{})
	c := r.client("")
	id := queue.NewID("k", "x")
	why := Why{Why: "w", Who: "ada"}
	text := strings.Repeat("x", 5000)
	for name, ch := range map[string]Change{
		"no jobs": {Why: why}, "ids and filter": {IDs: []queue.ID{id}, Filter: &Filter{All: true}, Why: why}, "an empty filter": {Filter: &Filter{}, Why: why},
		"all and more": {Filter: &Filter{All: true, Kind: "k"}, Why: why}, "no reason given": {IDs: []queue.ID{id}, Why: Why{Who: "ada"}}, "nobody": {IDs: []queue.ID{id}, Why: Why{Why: "w"}},
		"a long reason": {IDs: []queue.ID{id}, Why: Why{Why: text, Who: "ada"}}, "a long name": {IDs: []queue.ID{id}, Why: Why{Why: "w", Who: text}}, "a strange name": {IDs: []queue.ID{id}, Why: Why{Why: "w", Who: "a\nb"}},
		"too many ids": {IDs: make([]queue.ID, 1001), Why: why}, "an empty id": {IDs: make([]queue.ID, 1), Why: why}, "a limit": {Filter: &Filter{All: true}, Limit: -1, Why: why},
		"a high limit": {Filter: &Filter{All: true}, Limit: 1_000_001, Why: why}, "a rate": {Filter: &Filter{All: true}, PerSecond: 10_001, Why: why}, "a stop": {Filter: &Filter{All: true}, StopAfterSame: -1, Why: why},
		"a name of an operation": {Filter: &Filter{All: true}, Operation: "x", Why: why}, "a reason that is none": {Filter: &Filter{Reason: "sorrow"}, Why: why},
		"a queue": {Filter: &Filter{Queue: "a b"}, Why: why}, "a signature": {Filter: &Filter{Signature: &text}, Why: why},
	} {
		if o, err := c.Redrive(t.Context(), ch); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("%s: %+v %v", name, o, err)
		}
	}
	_, err := c.Redrive(t.Context(), Change{Filter: &Filter{Queue: "a b", Reason: "sorrow"}, Limit: -1, PerSecond: -1, Why: why})
	for _, says := range []string{"a b", "sorrow", "limit", "per_second"} {
		if !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("%s is not said: %v", says, err)
		}
	}
	for name, f := range map[string]Filter{"all": {All: true}, "kind only": {Kind: "k"}, "a reason": {Queue: "q", Reason: queue.ReasonFailures}} {
		if _, err := c.Cancel(t.Context(), Change{Filter: &f, Why: why}); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("cancel by %s: %v", name, err)
		}
	}
	if _, err := c.Redrive(t.Context(), Change{Filter: &Filter{Reason: queue.ReasonDoubt}, Why: why}); !errors.Is(err, queue.ErrInvalid) || !strings.Contains(err.Error(), "made twice") {
		t.Error(err)
	}
}

// By a filter a change runs in the background at its rate, can be looked at and stopped, and its rows say how many.
func TestOperation_runs_at_its_rate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, inMemory(t), Config{Tokens: tokens(t)})
		c := r.client(opToken)
		handIn(t, r.engine, "a", keys(1000)...)
		bury(t, r.engine, "a", queue.ReasonFailures, func(queue.Lease) string { return "gateway is down" })
		ch := Change{Filter: &Filter{Kind: "a"}, PerSecond: 40, Operation: NewOperation(), Why: because}
		o := must[Operation](t)(c.Redrive(t.Context(), ch))
		if o.State != OperationRunning || o.ID != ch.Operation || o.PerSecond != 40 {
			t.Fatalf("%+v", o)
		}
		for i, want := range []int{10, 30, 70, 110, 150} { // 10, 20, then 40 a second
			synctest.Wait()
			if o = must[Operation](t)(c.Operation(t.Context(), o.ID)); o.Changed != want || o.Matched != 1000 {
				t.Fatalf("second %d: %+v", i, o)
			}
			time.Sleep(time.Second)
		}
		again := must[Operation](t)(c.Redrive(t.Context(), ch)) // its answer was lost: it is the same operation
		if again.ID != o.ID || len(must[[]Operation](t)(c.Operations(t.Context()))) != 1 {
			t.Errorf("%+v", again)
		}
		ch.PerSecond = 41
		if _, err := c.Redrive(t.Context(), ch); !errors.Is(err, queue.ErrConflict) {
			t.Error(err)
		}
		must[Operation](t)(c.StopOperation(t.Context(), o.ID, "wrong jobs"))
		synctest.Wait()
		o = must[Operation](t)(c.Operation(t.Context(), o.ID))
		if o.State != OperationStopped || o.Because != "wrong jobs" || o.StoppedBy != "alice" || o.EndedAt.IsZero() {
			t.Errorf("%+v", o)
		}
		rows := trail(t, c)
		if len(rows) != o.Changed || rows[0].Why != "a test (redrive of 1000 jobs, operation "+o.ID+")" || rows[0].Who != "alice" {
			t.Errorf("%d rows, %d changed, %+v", len(rows), o.Changed, rows[0])
		}
		if _, err := c.StopOperation(t.Context(), NewOperation(), "w"); !errors.Is(err, queue.ErrNotFound) {
			t.Error(err)
		}
	})
}

// The rest goes through to its end.
func TestOperation_ends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, inMemory(t), Config{})
		c := r.client("")
		handIn(t, r.engine, "a", keys(700)...)
		o := must[Operation](t)(c.Cancel(t.Context(), Change{Filter: &Filter{Queue: "default"}, PerSecond: 1000, Why: Why{"w", "ada"}}))
		o, err := c.Wait(t.Context(), o, time.Second)
		if err != nil || o.State != OperationDone || o.Changed != 700 || o.Refused != 0 {
			t.Errorf("%+v %v", o, err)
		}
		if q := must[Queue](t)(c.Queue(t.Context(), "default")); q.Cancelled != 700 || q.Queued != 0 {
			t.Errorf("%+v", q)
		}
	})
}

// A redrive stops when those it sent back die again of the same, long before all are sent; one whose jobs do well,
// or die of something else, goes on.
func TestRedrive_stops_when_they_die_again_the_same_way(t *testing.T) {
	for name, x := range map[string]struct {
		next  string // what they die of again; "": they are done
		retry bool   // they fail once and wait for their retry, rather than die
		state OperationState
	}{
		"the same way":              {"order 17: gateway is down", false, OperationStopped},
		"the same way, and retried": {"order 99: gateway is down", true, OperationStopped},
		"another way":               {"the card was declined", false, OperationDone},
		"well":                      {"", false, OperationDone},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, inMemory(t), Config{})
				c := r.client("")
				handIn(t, r.engine, "a", keys(500)...)
				bury(t, r.engine, "a", queue.ReasonFailures, func(l queue.Lease) string { return "order " + l.Job.Key[1:] + ": gateway is down" })
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go consume(ctx, t, r.engine, x.next, x.retry)
				o := must[Operation](t)(c.Redrive(t.Context(), Change{Filter: &Filter{Kind: "a"}, PerSecond: 20, StopAfterSame: 5, Why: Why{"w", "ada"}}))
				o, err := c.Wait(t.Context(), o, time.Second)
				if err != nil || o.State != x.state {
					t.Fatalf("%+v %v", o, err)
				}
				if x.state == OperationDone && (o.Changed != 500 || o.Same != 0 || o.Judged == 0) {
					t.Errorf("%+v", o)
				}
				if x.state == OperationStopped && (o.Changed > 60 || o.Same < 5 || !strings.Contains(o.Because, "same way")) {
					t.Errorf("%+v", o)
				}
			})
		})
	}
}

// consume runs what is due every 100 ms, until ctx ends.
func consume(ctx context.Context, t *testing.T, e queue.Engine, text string, retry bool) {
	beat := time.NewTicker(100 * time.Millisecond)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
		leases, err := e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"default"}, Kinds: []string{"a"}, Max: 100, TTL: time.Minute})
		if err != nil {
			return
		}
		for _, l := range leases {
			end := queue.Settlement{Lease: l, State: queue.Dead, Outcome: queue.OutcomeBuried, Reason: queue.ReasonFailures, Error: text}
			switch {
			case text == "":
				end = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
			case retry:
				end = queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, RunAt: time.Now().Add(time.Hour), Error: text}
			}
			if _, err := e.Settle(context.WithoutCancel(ctx), end); err != nil {
				t.Error(err)
			}
		}
	}
}

// Few operations run at a time, few that ended are kept, and the server's end stops those that run.
func TestOperations_are_bounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, inMemory(t), Config{MaxOperations: 2})
		c := r.client("")
		handIn(t, r.engine, "a", keys(200)...)
		bury(t, r.engine, "a", queue.ReasonFailures, func(queue.Lease) string { return "no" })
		slow := Change{Filter: &Filter{Kind: "a"}, PerSecond: 1, Why: Why{"w", "ada"}}
		must[Operation](t)(c.Discard(t.Context(), slow))
		must[Operation](t)(c.Discard(t.Context(), slow))
		if _, err := c.Discard(t.Context(), slow); !errors.Is(err, queue.ErrUnavailable) {
			t.Error(err)
		}
		if err := r.api.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for _, o := range must[[]Operation](t)(c.Operations(t.Context())) {
			if o.State != OperationStopped || o.Because != "the server ended" {
				t.Errorf("%+v", o)
			}
		}
		if _, err := c.Discard(t.Context(), slow); !errors.Is(err, queue.ErrClosed) {
			t.Error(err)
		}
		other := newRig(t, r.engine, Config{})
		c = other.client("")
		for range keptOperations + 20 {
			must[Operation](t)(c.Discard(t.Context(), Change{Filter: &Filter{Kind: "none"}, Why: Why{"w", "ada"}}))
			synctest.Wait()
		}
		if n := len(must[[]Operation](t)(c.Operations(t.Context()))); n != keptOperations {
			t.Errorf("%d are kept", n)
		}
	})
}

// An engine that goes away ends an operation with an error that says so; what was changed stays told.
func TestOperation_fails_with_its_engine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := inMemory(t)
		r := newRig(t, e, Config{})
		c := r.client("")
		handIn(t, e, "a", keys(100)...)
		bury(t, e, "a", queue.ReasonFailures, func(queue.Lease) string { return "no" })
		o := must[Operation](t)(c.Redrive(t.Context(), Change{Filter: &Filter{Kind: "a"}, Why: Why{"w", "ada"}}))
		synctest.Wait()
		_ = e.Close()
		o, err := c.Wait(t.Context(), o, time.Second)
		if err != nil || o.State != OperationFailed || o.Changed != 10 || o.Error == nil || !errors.Is(o.Error.Err(), queue.ErrClosed) {
			t.Errorf("%+v %v", o, err)
		}
	})
}

// Dead jobs are grouped by what they have in common, however many; a group can be redriven by what names it.
func TestDead_groups(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		handIn(t, r.engine, "a", keys(120)...)
		bury(t, r.engine, "a", queue.ReasonFailures, func(l queue.Lease) string { return fmt.Sprintf("order %s: gateway is down", l.Job.Key[1:]) })
		handIn(t, r.engine, "b", keys(30)...)
		bury(t, r.engine, "b", queue.ReasonBuried, func(l queue.Lease) string { return "card \"" + l.Job.Key + "\" declined" })
		all := must[DeadGroups](t)(c.DeadGroups(t.Context(), queue.Query{}, 0))
		if len(all.Groups) != 2 || all.Groups[0].Jobs != 120 || all.Groups[1].Jobs != 30 || all.Scanned != 150 || all.Next != "" || len(all.Groups[0].IDs) != 10 ||
			all.Groups[0].First.IsZero() || !strings.Contains(all.Groups[0].Error, "gateway") {
			t.Fatalf("%+v", all)
		}
		part := must[DeadGroups](t)(c.DeadGroups(t.Context(), queue.Query{Kind: "a"}, 50))
		rest := must[DeadGroups](t)(c.DeadGroups(t.Context(), queue.Query{Kind: "a", Cursor: part.Next}, 100))
		if part.Scanned != 50 || rest.Scanned != 70 || rest.Next != "" {
			t.Errorf("%d and %d", part.Scanned, rest.Scanned)
		}
		g := all.Groups[1]
		o := must[Operation](t)(c.Redrive(t.Context(), Change{Filter: &Filter{Queue: g.Queue, Kind: g.Kind, Reason: g.Reason, Signature: &g.Signature}, DryRun: true}))
		if o.Matched != 30 {
			t.Errorf("%+v", o)
		}
	})
}
