package monitor_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/proof/monitor"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

var (
	id    = queue.NewID("k", "a")
	start = time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
)

func lease(token int64, change ...func(*queue.Lease)) *queue.Lease {
	l := &queue.Lease{Job: queue.Job{ID: id, Queue: "q", Kind: "k"}, ID: queue.ClaimID{byte(token)}.Lease(id, token), Token: token,
		DueAt: start, ClaimedAt: start.Add(time.Duration(token) * time.Second)}
	for _, c := range change {
		c(l)
	}
	return l
}

func crashed(n int) func(*queue.Lease)  { return func(l *queue.Lease) { l.Counts.Crashes = n } }
func redriven(n int) func(*queue.Lease) { return func(l *queue.Lease) { l.Counts.Redrives = n } }
func due(after time.Duration) func(*queue.Lease) {
	return func(l *queue.Lease) { l.DueAt = start.Add(after) }
}

func started(l *queue.Lease) worker.Event { return worker.Event{What: worker.Started, Lease: l} }
func settled(l *queue.Lease, s queue.State) worker.Event {
	return worker.Event{What: worker.Settled, Lease: l, Settlement: &queue.Settlement{State: s}}
}

// Each sequence of events breaks the fence once, and is told in words; beside each a sound one, in which nothing is.
func TestAttempts(t *testing.T) {
	other := lease(1)
	other.ID = queue.LeaseID{9}
	for name, c := range map[string]struct {
		events []worker.Event
		broken int64
	}{
		"a run without a lease":             {[]worker.Event{started(&queue.Lease{Job: queue.Job{ID: id}})}, 1},
		"a lease that runs twice":           {[]worker.Event{started(lease(1)), started(lease(1))}, 1},
		"two leases with one token":         {[]worker.Event{started(lease(1)), started(other)}, 1},
		"a run after its end":               {[]worker.Event{settled(lease(1), queue.Done), started(lease(1))}, 1},
		"two ends of one attempt":           {[]worker.Event{started(lease(1)), settled(lease(1), queue.Done), settled(lease(1), queue.Queued)}, 1},
		"leased after it was done":          {[]worker.Event{started(lease(1)), settled(lease(1), queue.Done), started(lease(2))}, 1},
		"the same, told late":               {[]worker.Event{started(lease(1)), started(lease(2)), settled(lease(1), queue.Done)}, 1},
		"leased after it was dead":          {[]worker.Event{started(lease(1)), settled(lease(1), queue.Dead), started(lease(2))}, 1},
		"an old lease settled":              {[]worker.Event{started(lease(1)), started(lease(2, crashed(1))), settled(lease(1), queue.Queued)}, 1},
		"done, in a transaction, and again": {[]worker.Event{{What: worker.Settled, Lease: lease(1)}, started(lease(2))}, 1},

		"sound: failed, and again":            {[]worker.Event{started(lease(1)), settled(lease(1), queue.Queued), started(lease(2)), settled(lease(2), queue.Done)}, 0},
		"sound: the same, told late":          {[]worker.Event{started(lease(2)), settled(lease(2), queue.Done), started(lease(1)), settled(lease(1), queue.Queued)}, 0},
		"sound: crashed, and again":           {[]worker.Event{started(lease(1)), started(lease(2, crashed(1))), settled(lease(2, crashed(1)), queue.Done), {What: worker.LeaseLost, Lease: lease(1)}}, 0},
		"sound: redriven":                     {[]worker.Event{started(lease(1)), settled(lease(1), queue.Dead), started(lease(2, redriven(1)))}, 0},
		"sound: told twice of one end":        {[]worker.Event{started(lease(1)), settled(lease(1), queue.Done), settled(lease(1), queue.Done)}, 0},
		"sound: pruned, and enqueued anew":    {[]worker.Event{started(lease(1)), settled(lease(1), queue.Done), started(lease(2, due(25*time.Hour)))}, 0},
		"sound: an old attempt, told of late": {[]worker.Event{started(lease(9)), started(lease(5)), settled(lease(5), queue.Queued)}, 0},
		"sound: events of no job":             {[]worker.Event{{What: worker.Settled}, {What: worker.Draining, N: 3}}, 0},
	} {
		m := monitor.New(monitor.Config{})
		for _, e := range c.events {
			m.Observe(t.Context(), e)
		}
		if got := m.Broken()[monitor.Fence]; got != c.broken || int(got) != len(m.Findings()) {
			t.Errorf("%s: %d, want %d: %v", name, got, c.broken, m.Findings())
		}
	}
}

// Of one instant of a schedule one job is made. A duplicate is the same job, told of again.
func TestFires(t *testing.T) {
	fired := func(due time.Time, job string, s queue.Status) cron.Event {
		return cron.Event{What: cron.Fired, Entry: "e", Due: due, Receipt: queue.Receipt{ID: queue.NewID("k", job), Status: s}}
	}
	m := monitor.New(monitor.Config{})
	for n, c := range []struct {
		e      cron.Event
		broken int64
	}{
		{fired(start, "a", queue.Accepted), 0}, {fired(start, "a", queue.Duplicate), 0}, {fired(start.Add(time.Minute), "b", queue.Accepted), 0},
		{cron.Event{What: cron.Beaten, Entry: "e", Due: start}, 0}, {fired(start, "a", queue.Accepted), 1}, {fired(start, "c", queue.Accepted), 2},
	} {
		m.Schedules().Observe(t.Context(), c.e)
		if got := m.Broken()[monitor.Effect]; got != c.broken {
			t.Errorf("after event %d: %d, want %d: %v", n, got, c.broken, m.Findings())
		}
	}
}

// forgetful is a ledger that loses what it confirmed, or takes a second result.
type forgetful struct {
	ledger.Store
	lose, any bool
}

func (f *forgetful) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	if f.lose {
		return ledger.Entry{Key: try.Key(), State: ledger.Pending, Mine: true}, nil
	}
	return f.Store.Intend(ctx, try)
}

func (f *forgetful) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	err := f.Store.Confirm(ctx, try, result)
	if f.any {
		return nil
	}
	return err
}

// A ledger that gives an effect anew or takes two results of it is found, and one in order is not.
func TestEffects(t *testing.T) {
	for name, c := range map[string]struct {
		lose, any bool
		broken    int64
	}{"in order": {}, "it loses a record": {lose: true, broken: 1}, "it takes two results": {any: true, broken: 1}} {
		at := start
		inner := &forgetful{Store: memory.NewLedger(memory.LedgerConfig{Now: func() time.Time { return at }})}
		m := monitor.New(monitor.Config{Now: func() time.Time { return at }})
		store := m.Ledger(inner)
		try := ledger.Try{ID: ledger.NewTryID(), Lease: *lease(1, func(l *queue.Lease) { l.FreshAt = start }), Step: "charge"}
		again := try
		again.ID = ledger.NewTryID()
		if _, err := store.Intend(t.Context(), try); err != nil {
			t.Fatal(err)
		}
		if err := store.Confirm(t.Context(), try, []byte("one")); err != nil {
			t.Fatal(err)
		}
		inner.lose, inner.any = c.lose, c.any
		_, _ = store.Intend(t.Context(), again)
		_ = store.Confirm(t.Context(), try, []byte("one"))
		if c.any {
			_ = store.Confirm(t.Context(), again, []byte("two"))
		}
		if got := m.Broken()[monitor.Effect]; got != c.broken {
			t.Errorf("%s: %d, want %d: %v", name, got, c.broken, m.Findings())
		}
		at = at.Add(25 * time.Hour) // by now the ledger may have forgotten it
		_, _ = store.Intend(t.Context(), again)
		if got := m.Broken()[monitor.Effect]; got != c.broken {
			t.Errorf("%s, long after: %d, want %d", name, got, c.broken)
		}
	}
}

func TestMade(t *testing.T) {
	m := monitor.New(monitor.Config{})
	for _, key := range []ledger.Key{{Job: id, Step: "charge"}, {Job: id, Step: "mail"}, {Job: queue.NewID("k", "b"), Step: "charge"}} {
		m.Made(key)
	}
	if n := m.Broken()[monitor.Effect]; n != 0 {
		t.Error(n)
	}
	m.Made(ledger.Key{Job: id, Step: "charge"})
	if n := m.Broken()[monitor.Effect]; n != 1 {
		t.Error(n)
	}
}

// Memory is bounded, findings too; what is forgotten is not found, and raises nothing.
func TestBounds(t *testing.T) {
	told := 0
	m := monitor.New(monitor.Config{Remember: 10, MaxFindings: 3, Broken: func(monitor.Finding) { told++ }})
	for n := range 1000 {
		l := lease(1)
		l.Job.ID = queue.NewID("k", fmt.Sprint(n))
		m.Observe(t.Context(), started(l))
	}
	m.Observe(t.Context(), started(lease(1)))
	for range 5 {
		m.Observe(t.Context(), started(lease(1)))
	}
	if n := m.Broken()[monitor.Fence]; n != 5 || told != 5 || len(m.Findings()) != 3 {
		t.Errorf("%d counted, %d told, %d kept", n, told, len(m.Findings()))
	}
}

// Findings are counted by package metrics under the names that it knows.
func TestMetrics(t *testing.T) {
	counts := metrics.New(metrics.Config{})
	m := monitor.New(monitor.Config{Broken: func(f monitor.Finding) { counts.InvariantBroken(metrics.Invariant(f.Invariant)) }})
	m.Observe(t.Context(), started(&queue.Lease{}))
	m.Made(ledger.Key{Job: id, Step: "s"})
	m.Made(ledger.Key{Job: id, Step: "s"})
	got := map[string]float64{}
	for _, p := range metrics.Find(counts.Read(t.Context()), "twice_invariant_broken_total").Points {
		got[p.Labels[0]] = p.Value
	}
	if got["fence"] != 1 || got["effect"] != 1 || got["other"] != 0 {
		t.Error(got)
	}
	for ours, theirs := range map[monitor.Invariant]metrics.Invariant{monitor.Fence: metrics.InvariantFence, monitor.Effect: metrics.InvariantEffect,
		monitor.Counts: metrics.InvariantCounts, monitor.Audit: metrics.InvariantAudit} {
		if string(ours) != string(theirs) {
			t.Errorf("%s is called %s there", ours, theirs)
		}
	}
}
