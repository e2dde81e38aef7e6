package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

func TestQueues(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		handIn(t, r.engine, "a", keys(3)...)
		var jobs []queue.Job
		for i := range 250 {
			jobs = append(jobs, queue.Job{Queue: fmt.Sprintf("q%03d", i), Kind: "k", Key: fmt.Sprint(i)})
		}
		must[[]queue.Receipt](t)(r.engine.Enqueue(t.Context(), jobs...))
		n := 0
		for q, err := range c.Queues(t.Context()) {
			if err != nil || q.Queue == "default" && (q.Queued != 3 || q.Ready != (Seen{3, false}) || q.Accepted != 3 || q.OldestDue.IsZero()) {
				t.Fatal(q, err)
			}
			n++
		}
		if n != 251 {
			t.Errorf("%d queues", n)
		}
		if p := must[Paused](t)(c.PauseQueue(t.Context(), "default", "maintenance", false)); !p.Paused {
			t.Error(p)
		}
		if q := must[Queue](t)(c.Queue(t.Context(), "default")); !q.Paused {
			t.Errorf("%+v", q)
		}
		if j := must[Job](t)(c.JobOf(t.Context(), "a", "k0")); !j.Paused {
			t.Errorf("%+v", j)
		}
		if p := must[Paused](t)(c.ResumeQueue(t.Context(), "default", "over")); p.Paused {
			t.Error(p)
		}
		if rows := trail(t, c); len(rows) != 2 || rows[0].What != "resume" || rows[0].Who != "alice" || rows[0].Why != "over" || rows[0].Queue != "default" {
			t.Errorf("%+v", rows)
		}
		for _, err := range []error{third(c.PauseQueue(t.Context(), "mistyped", "w", false)), third(c.ResumeQueue(t.Context(), "mistyped", "w")), third(c.Queue(t.Context(), "mistyped"))} {
			if !errors.Is(err, queue.ErrNotFound) {
				t.Error(err)
			}
		}
		if p := must[Paused](t)(c.PauseQueue(t.Context(), "coming", "w", true)); !p.Paused {
			t.Error(p)
		}
		if q := must[Queue](t)(c.Queue(t.Context(), "coming")); !q.Paused {
			t.Errorf("%+v", q)
		}
	})
}

func third[A any](_ A, err error) error { return err }

func TestSchedules(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		store := r.engine.(queue.Schedules)
		for _, s := range []queue.Schedule{{Name: "nightly", Spec: "daily 02:30", Zone: "Europe/Berlin", Queue: "default", Kind: "k"}, {Name: "odd", Spec: "0 0 * * *", Queue: "default", Kind: "k"}} {
			if err := store.PutSchedule(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		var all []Schedule
		for s, err := range c.Schedules(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		spec, _ := cron.Parse("daily 02:30", "Europe/Berlin")
		if len(all) != 2 || !all[0].Next.Equal(spec.Next(time.Now())) || all[0].Error != "" || all[1].Error == "" || !all[1].Next.IsZero() {
			t.Fatalf("%+v", all)
		}
		must[Paused](t)(c.PauseSchedule(t.Context(), "nightly", "w"))
		for s := range c.Schedules(t.Context()) {
			if s.Name == "nightly" && (!s.Paused || !s.Next.IsZero()) {
				t.Errorf("%+v", s)
			}
		}
		at := time.Now()
		run := ScheduleRun{At: at, Args: []byte(`{ "day": "today" }`), Why: because}
		first := must[Receipt](t)(c.RunSchedule(t.Context(), "nightly", run))
		again := must[Receipt](t)(c.RunSchedule(t.Context(), "nightly", run))
		if first.Status != queue.Accepted || again.Status != queue.Duplicate || first.ID != queue.NewID("k", cron.Key("nightly", at.Truncate(time.Second))) {
			t.Errorf("%+v %+v", first, again)
		}
		if j := must[Job](t)(c.Job(t.Context(), first.ID)); j.Payload != `{"day":"today"}` || j.Headers[HeaderRunBy] != "alice" || j.Headers[HeaderRunWhy] != "a test" {
			t.Errorf("%+v", j)
		}
		must[Paused](t)(c.ResumeSchedule(t.Context(), "nightly", "w"))
		if rows := trail(t, c); len(rows) != 2 || rows[0].Note != "nightly" || rows[0].Who != "alice" {
			t.Errorf("%+v", rows)
		}
		for _, err := range []error{third(c.PauseSchedule(t.Context(), "none", "w")), third(c.ResumeSchedule(t.Context(), "none", "w")), third(c.RunSchedule(t.Context(), "none", run))} {
			if !errors.Is(err, queue.ErrNotFound) {
				t.Error(err)
			}
		}
		run.At = time.Time{}
		if _, err := c.RunSchedule(t.Context(), "nightly", run); !errors.Is(err, queue.ErrInvalid) {
			t.Error(err)
		}
		if w := r.ask("POST", v1+"schedules/nightly/run", `{"args":{},"why":"w"}`, bearer(opToken)...); w.Code != 400 || !strings.Contains(w.Body.String(), "field at") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

// A worker that announces nonsense is shown as far as it can be, and bounded.
func TestWorkers(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		presence := r.engine.(queue.Presence)
		good := queue.Worker{Name: "w1", Host: "h", PID: 1, Queues: []string{"q"}, Kinds: []string{"k"}, Slots: 4, Busy: 1, Started: time.Now(), LastPoll: time.Now(),
			Running: []queue.Progress{{Job: queue.NewID("k", "x"), Kind: "k", Attempt: 1, Since: time.Now(), Done: 3, Total: 9}}}
		if err := presence.Announce(t.Context(), good, time.Minute); err != nil {
			t.Fatal(err)
		}
		odd := queue.Worker{Name: "w2\xff<script>", Host: strings.Repeat("h", 10_000), PID: -1, Version: "\x00", Slots: math.MinInt32, Busy: math.MaxInt32,
			Started: time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), LastPoll: time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC), Queues: make([]string, 5000), Running: make([]queue.Progress, 2000)}
		if presence.Announce(t.Context(), odd, time.Minute) != nil { // an engine may refuse the worst of it
			odd.Started, odd.LastPoll = time.Time{}, time.Time{}
			if err := presence.Announce(t.Context(), odd, time.Minute); err != nil {
				t.Log(err)
			}
		}
		w := r.ask("GET", v1+"workers", "", bearer(viewToken)...)
		if w.Code != 200 || w.Body.Len() > 1<<20 {
			t.Fatalf("%d, %d bytes", w.Code, w.Body.Len())
		}
		for w, err := range c.Workers(t.Context()) {
			if err != nil || len(w.Queues) > 100 || len(w.Host) > 210 || len(w.Running) > 1000 {
				t.Fatal(w, err)
			}
			if w.Name == "w1" && (w.Slots != 4 || w.Running[0].Total != 9 || w.Silent || w.SeenAt.IsZero()) {
				t.Errorf("%+v", w)
			}
		}
	})
}

func TestVerdicts(t *testing.T) {
	found := []diagnose.Finding{
		{Queue: "a", Verdict: diagnose.UnderProvisioned, Says: "too few", Evidence: []diagnose.Evidence{{Name: "x", Value: math.NaN(), Jobs: []queue.ID{{1}}, Workers: []string{"w"}}},
			Capacity: &diagnose.Capacity{Arrivals: math.Inf(1), MeanRun: time.Second, Slots: 4, Needed: 12, Drained: time.Date(30_000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{Queue: "b", Verdict: diagnose.Idle, Well: true}, {Queue: "c", Verdict: diagnose.NoConsumer}, {Queue: "d", Verdict: diagnose.BrokerDown, Capacity: &diagnose.Capacity{Needed: 3}},
		{Queue: "e", Verdict: diagnose.Paused}, {Queue: "f", Verdict: diagnose.Undetermined},
	}
	var fails error
	r := newRig(t, inMemory(t), Config{Findings: func(context.Context) ([]diagnose.Finding, error) { return found, fails }})
	c := r.client("")
	n := 0
	for f, err := range c.Verdicts(t.Context()) {
		if err != nil || f.Queue != found[n].Queue {
			t.Fatal(f, err)
		}
		n++
	}
	if f := must[diagnose.Finding](t)(c.Verdict(t.Context(), "a")); f.Capacity.Needed != 12 || f.Says != "too few" || f.Evidence[0].Jobs[0] != (queue.ID{1}) {
		t.Errorf("%+v", f)
	}
	for name, want := range map[string]int{"a": 12, "b": 0, "c": 1} {
		if s := must[Slots](t)(c.SlotsNeeded(t.Context(), name)); s.Needed != want {
			t.Errorf("%s: %+v", name, s)
		}
		if w := r.ask("GET", v1+"queues/"+name+"/slots", ""); !strings.Contains(w.Body.String(), fmt.Sprintf(`"slots_needed":%d`, want)) {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
	for _, name := range []string{"d", "e", "f"} { // not known is never 0
		if s, err := c.SlotsNeeded(t.Context(), name); !errors.Is(err, queue.ErrUnavailable) {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
	if _, err := c.Verdict(t.Context(), "none"); !errors.Is(err, queue.ErrNotFound) {
		t.Error(err)
	}
	found = []diagnose.Finding{{Verdict: diagnose.BrokerDown, Says: "nobody answers"}} // of the engine as a whole
	if f := must[diagnose.Finding](t)(c.Verdict(t.Context(), "a")); f.Verdict != diagnose.BrokerDown {
		t.Errorf("%+v", f)
	}
	if _, err := c.SlotsNeeded(t.Context(), "a"); !errors.Is(err, queue.ErrUnavailable) {
		t.Error(err)
	}
	fails = &queue.Error{Op: "sample", Reason: queue.ErrUnavailable}
	if _, err := c.SlotsNeeded(t.Context(), "a"); !errors.Is(err, queue.ErrUnavailable) {
		t.Error(err)
	}
}

func TestAudit(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		handIn(t, r.engine, "a", keys(5)...)
		bury(t, r.engine, "a", queue.ReasonBuried, func(queue.Lease) string { return "" })
		a := must[Audit](t)(c.Audit(t.Context()))
		if !a.Balanced || a.Total.Accepted != 5 || a.Total.Dead != 5 || a.Total.Missing != 0 || a.Queues[0].Queue != "default" || a.Engine == "" || a.Durability == "" {
			t.Errorf("%+v", a)
		}
		must[Operation](t)(c.Discard(t.Context(), Change{IDs: []queue.ID{queue.NewID("a", "k0"), queue.NewID("a", "k1"), queue.NewID("a", "k2")}, Why: because}))
		page := must[Trail](t)(c.TrailPage(t.Context(), "", 2))
		rest := must[Trail](t)(c.TrailPage(t.Context(), page.Next, 2))
		if len(page.Changes) != 2 || len(rest.Changes) != 1 || rest.Next != "" {
			t.Errorf("%+v %+v", page, rest)
		}
	})
}

// less is an engine that can do nothing but what every engine must.
type less struct{ queue.Engine }

func (l less) Traits() queue.Traits {
	return queue.Traits{Name: "less", MaxPayload: 1 << 20, MaxBatch: 100}
}

// What an engine cannot do is said, and answered 501 with an error that is ErrUnsupported.
func TestAbilities(t *testing.T) {
	e := struct{ queue.Engine }{less{inMemory(t)}}
	r := newRig(t, e, Config{})
	c := r.client("")
	a := must[Abilities](t)(c.Abilities(t.Context()))
	if a.Engine != "less" || len(a.Abilities) != len(abilities) {
		t.Errorf("%+v", a)
	}
	for _, one := range a.Abilities {
		if one.Has {
			t.Errorf("%+v", one)
		}
	}
	for i := range table {
		rt := &table[i]
		body := strings.Replace(bodyOf(rt), `"why":"w"`, `"why":"w","who":"ada"`, 1)
		if rt.name == "runSchedule" {
			body = strings.Replace(body, "2030-01-01T00:00:00Z", time.Now().UTC().Format(time.RFC3339), 1)
		}
		w := r.ask(rt.method, pathOf(rt), body)
		if (w.Code == 501) != (len(rt.needs) > 0) {
			t.Errorf("%s: %d %s", rt.name, w.Code, w.Body)
		}
		if w.Code == 501 && fault(t, w).Reason != "unsupported" {
			t.Errorf("%s: %s", rt.name, w.Body)
		}
		for _, need := range rt.needs {
			known := false
			for _, a := range abilities {
				known = known || a.name == need
			}
			if !known {
				t.Errorf("%s needs %s, which is no ability", rt.name, need)
			}
		}
	}
	if _, err := c.Audit(t.Context()); !errors.Is(err, queue.ErrUnsupported) {
		t.Error(err)
	}
	full := must[Abilities](t)(newRig(t, inMemory(t), Config{}).client("").Abilities(t.Context()))
	for _, one := range full.Abilities {
		if one.Has != (one.Name != "verdicts") {
			t.Errorf("%+v", one)
		}
	}
}
