package history

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

// clock stands still unless it is moved.
type clock struct{ at time.Time }

func (c *clock) Now() time.Time { return c.at }

// drawn is a history of one job after the other's call on the memory engine: every order is the recorded one, so a
// step that is forged must be found. Each job is claimed, its lease lost and replaced, the old holder refused, failed,
// claimed again and ended; what is drawn is what happens besides.
func drawn(t *rapid.T) []Op { return drawnInto(t, NewRecorder) }

func drawnInto(t *rapid.T, recorder func(now func() time.Time) *Recorder) []Op {
	c := &clock{time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)}
	inner, err := memory.New(memory.Config{Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	rec := recorder(func() time.Time { c.at = c.at.Add(time.Microsecond); return c.at })
	e := rec.Engine(inner, "one")
	op, _ := queue.As[queue.Operator](e)
	var ids []queue.ID
	for n := range rapid.IntRange(1, 3).Draw(t, "jobs") {
		j := queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(n)}
		id := queue.NewID("k", j.Key)
		ids = append(ids, id)
		try(e.Enqueue(t.Context(), j))
		if rapid.Bool().Draw(t, "duplicate") {
			try(e.Enqueue(t.Context(), j))
		}
		first := take(t, e)
		for range rapid.IntRange(0, 2).Draw(t, "extends") {
			c.at = c.at.Add(20 * time.Second)
			try(e.Extend(t.Context(), time.Minute, first))
		}
		for range 3 { // its lease runs out while the engine serves
			c.at = c.at.Add(25 * time.Second)
			_ = e.Ping(t.Context())
		}
		second := take(t, e)
		try(e.Settle(t.Context(), queue.Settlement{Lease: first, State: queue.Done, Outcome: queue.OutcomeDone}))
		try(e.Extend(t.Context(), time.Minute, first))
		again := queue.Settlement{Lease: second, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure}
		try(e.Settle(t.Context(), again))
		if rapid.Bool().Draw(t, "settled twice") {
			try(e.Settle(t.Context(), again))
		}
		third := take(t, e)
		if rapid.Bool().Draw(t, "dead first") {
			try(e.Settle(t.Context(), queue.Settlement{Lease: third, State: queue.Dead, Outcome: queue.OutcomeBuried, Reason: queue.ReasonBuried}))
			try(op.Redrive(t.Context(), tester, id))
			third = take(t, e)
		}
		try(e.Settle(t.Context(), queue.Settlement{Lease: third, State: queue.Done, Outcome: queue.OutcomeDone}))
		try(op.Cancel(t.Context(), tester, queue.Cut{ID: id}))
		try(e.Enqueue(t.Context(), j))
	}
	if err := rec.Look(t.Context(), e, ids...); err != nil {
		t.Fatal(err)
	}
	return rec.Ops()
}

func try[T any](T, error) {} // what it answers is in the history

func take(t *rapid.T, e queue.Engine) queue.Lease {
	leases, err := e.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: time.Minute})
	if err != nil || len(leases) != 1 {
		t.Fatalf("%v, %v", leases, err)
	}
	return leases[0]
}

// forgery changes one step of a sound history. It may be tried where is says so.
type forgery struct {
	name string
	is   func(Op) bool
	make func(*Op, []Op)
	rule []Rule // one of them must be named
}

func leased(o Op) bool { return o.Call == Claim && !o.Job.IsZero() }

var forgeries = []forgery{
	{"a settlement succeeded under a replaced lease", func(o Op) bool { return o.Call == Settle && o.Answer == LeaseLost }, answered(OK), []Rule{Fence}},
	{"an extension succeeded under a replaced lease", func(o Op) bool { return o.Call == Extend && o.Answer == LeaseLost }, answered(OK), []Rule{Fence}},
	{"a held lease was refused", func(o Op) bool { return o.Call == Settle && o.Answer == OK && o.State == queue.Done }, answered(LeaseLost), []Rule{Held, Seen}},
	{"a token did not rise", func(o Op) bool { return leased(o) && o.Token > 1 }, func(o *Op, _ []Op) { o.Token--; o.Claim = "" }, []Rule{TokenRises}},
	{"a token fell", func(o Op) bool { return leased(o) && o.Token > 2 }, func(o *Op, _ []Op) { o.Token = 1; o.Claim = "" }, []Rule{TokenRises}},
	{"two leases at once", func(o Op) bool {
		return leased(o) && o.Counts.Crashes > 0 && o.Counts.Failures == 0 && o.Counts.Redrives == 0
	},
		func(o *Op, _ []Op) { o.ClaimedAt -= int64(50 * time.Second) }, []Rule{OneLease}},
	{"a lease of another claim", leased, func(o *Op, _ []Op) { o.Lease = strings.Repeat("0", len(o.Lease)) }, []Rule{Derived}},
	{"a count jumped", leased, func(o *Op, _ []Op) { o.Counts.Failures += 2 }, []Rule{Counted}},
	{"a crash was not counted", func(o Op) bool { return leased(o) && o.Counts.Crashes > 0 }, func(o *Op, _ []Op) { o.Counts.Crashes-- }, []Rule{Counted}},
	{"a count was reset", func(o Op) bool { return leased(o) && o.Counts.Failures > 0 }, func(o *Op, _ []Op) { o.Counts = queue.Counts{} }, []Rule{Counted}},
	{"a terminal state changed", func(o Op) bool { return o.Call == Look }, func(o *Op, _ []Op) { o.State = queue.Queued }, []Rule{Terminal}},
	{"a job that is done was cancelled", func(o Op) bool { return o.Call == Cancel }, answered(OK), []Rule{Terminal}},
	{"a job was lost", func(o Op) bool { return o.Call == Look }, answered(NotFound), []Rule{Lost}},
	{"a job was accepted twice", func(o Op) bool { return o.Call == Enqueue && o.Status == queue.Duplicate },
		func(o *Op, _ []Op) { o.Status = queue.Accepted }, []Rule{Once}},
	{"another content was called a duplicate", func(o Op) bool { return o.Call == Enqueue && o.Status == queue.Duplicate },
		func(o *Op, _ []Op) { o.Print++ }, []Rule{Identity}},
	{"a job that nobody enqueued", func(o Op) bool { return o.Call == Enqueue && o.Status == queue.Accepted },
		func(o *Op, _ []Op) { o.Status, o.Answer = 0, Refused }, []Rule{Lost}},
	{"a redrive of a job that is not dead", func(o Op) bool { return o.Call == Cancel }, func(o *Op, _ []Op) { o.Call, o.Answer = Redrive, OK }, []Rule{Terminal}},
	{"a suspect went to a claim in company", leased, func(o *Op, _ []Op) { o.Lone = true }, []Rule{Seen, Alone}},
}

func answered(a Answer) func(*Op, []Op) { return func(o *Op, _ []Op) { o.Answer = a } }

// A sound history is accepted, and with any one step forged it is refused, naming the job, a step and the rule.
func TestForgedStepsAreRefused(t *testing.T) {
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				ops := drawn(t)
				if report := Check(ops, Config{}); len(report.Breaches)+len(report.Undecided) > 0 {
					t.Fatalf("a sound history is refused: %v", report.Breaches)
				}
				var at []int
				for i, op := range ops {
					if f.is(op) {
						at = append(at, i)
					}
				}
				if len(at) == 0 {
					t.Skip("nothing to forge")
				}
				forged := append([]Op(nil), ops...)
				i := rapid.SampledFrom(at).Draw(t, "step")
				f.make(&forged[i], forged)
				report := Check(forged, Config{})
				if len(report.Breaches) != 1 || !has(f.rule, report.Breaches[0].Rule) || report.Breaches[0].Job != ops[i].Job {
					t.Fatalf("%s: %v", f.name, report.Breaches)
				}
				if text := report.Breaches[0].String(); !strings.Contains(text, ops[i].Job.String()) || !strings.Contains(text, "step ") || !strings.Contains(text, string(report.Breaches[0].Rule)) {
					t.Fatalf("it does not name job, step and rule: %s", text)
				}
			})
		})
	}
}

// A history comes back from its lines as it was; a line that is none is named.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := drawn(t)
		var out bytes.Buffer
		if err := Write(&out, ops); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&out)
		if err != nil || !reflect.DeepEqual(back, ops) {
			t.Fatalf("%v: %v", err, back)
		}
	})
	if _, err := Read(strings.NewReader("{}\nno\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
}
