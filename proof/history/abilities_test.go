package history

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// bare has no abilities.
type bare struct{ queue.Engine }

// A recorded engine has the abilities of the one below, and no others.
func TestAbilitiesArePassedOn(t *testing.T) {
	has := func(e queue.Engine) (all []bool) {
		for _, ok := range []func() bool{
			func() bool { _, ok := queue.As[queue.Inspector](e); return ok },
			func() bool { _, ok := queue.As[queue.Operator](e); return ok },
			func() bool { _, ok := queue.As[queue.Pauser](e); return ok },
			func() bool { _, ok := queue.As[queue.Pruner](e); return ok },
			func() bool { _, ok := queue.As[queue.Presence](e); return ok },
			func() bool { _, ok := queue.As[queue.Schedules](e); return ok },
			func() bool { _, ok := queue.As[queue.Auditor](e); return ok },
			func() bool { _, ok := queue.As[queue.Exchanger](e); return ok },
		} {
			all = append(all, ok())
		}
		return all
	}
	r := NewRecorder(nil)
	inner := openMemory(t)
	for i, ok := range has(r.Engine(inner, "")) {
		if !ok {
			t.Errorf("ability %d is lost", i)
		}
	}
	for i, ok := range has(r.Engine(bare{inner}, "")) {
		if ok {
			t.Errorf("ability %d comes from nowhere", i)
		}
	}
	if err := r.Look(t.Context(), bare{inner}); !errors.Is(err, queue.ErrUnsupported) {
		t.Error(err)
	}
}

// Whatever ability changes a job is in the history: fires, exchanges with jobs to follow, changes by people, prunes.
func TestAbilitiesAreRecorded(t *testing.T) {
	at := &clock{time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)}
	r := NewRecorder(at.Now)
	e := r.Engine(newMemoryAt(t, at), "one")
	ctx := context.Background()
	schedules, _ := queue.As[queue.Schedules](e)
	exchanger, _ := queue.As[queue.Exchanger](e)
	op, _ := queue.As[queue.Operator](e)
	pruner, _ := queue.As[queue.Pruner](e)
	job := func(key string) queue.Job { return queue.Job{Queue: "q", Kind: "k", Key: key} }
	id := func(key string) queue.ID { return queue.NewID("k", key) }
	claim := func() queue.Claim {
		return queue.Claim{ID: queue.NewClaimID(), Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: time.Minute}
	}
	must := func(errs []error, err error) {
		t.Helper()
		if err := errors.Join(append(errs, err)...); err != nil {
			t.Fatal(err)
		}
	}
	must(nil, schedules.PutSchedule(ctx, queue.Schedule{Name: "s", Spec: "* * * * *", Queue: "q", Kind: "k"}))
	_, err := schedules.Fire(ctx, "s", time.Time{}, at.at, job("fired"))
	must(nil, err)
	leases, err := e.Claim(ctx, claim())
	must(nil, err)
	errs, leases, err := exchanger.Exchange(ctx, []queue.Settlement{{Lease: leases[0], State: queue.Done, Outcome: queue.OutcomeDone, Next: []queue.Job{job("next")}}}, claim())
	must(errs, err)
	must(e.Settle(ctx, queue.Settlement{Lease: leases[0], State: queue.Dead, Outcome: queue.OutcomeBuried, Reason: queue.ReasonDoubt}))
	if errs, _ := op.Redrive(ctx, tester, id("next")); !errors.Is(errs[0], queue.ErrInDoubt) {
		t.Error(errs)
	}
	must(op.Resolved(ctx, tester, id("next")))
	must(op.Cancel(ctx, tester, queue.Cut{ID: id("next")}))
	must(nil, r.Look(ctx, e, id("fired"), id("next")))
	at.at = at.at.Add(25 * time.Hour)
	if n, err := pruner.Prune(ctx, 10); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	must(nil, r.Look(ctx, e, id("fired"), id("next")))
	_, err = e.Enqueue(ctx, job("fired"))
	must(nil, err)
	ops := r.Ops()
	if report := Check(ops, Config{}); len(report.Breaches) > 0 || report.Jobs != 2 {
		t.Errorf("%+v", report)
	}
	var without []Op // a history from which the prune is missing has lost two jobs
	for _, o := range ops {
		if o.Call != Prune {
			without = append(without, o)
		}
	}
	if report := Check(without, Config{}); len(report.Breaches) != 2 || report.Breaches[0].Rule != Lost {
		t.Errorf("%+v", report)
	}
}
