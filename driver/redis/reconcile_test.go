package redis

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// motley is a queue with two jobs of every sort: due, later, running, with a lease that ran out, suspects, dead, done,
// done and kept longer, cancelled.
type motley struct {
	*Engine
	t   *testing.T
	now time.Time
}

func newMotley(t *testing.T, server *redistest.Server) *motley {
	t.Helper()
	m := &motley{t: t, now: time.Now().Truncate(time.Millisecond)}
	var err error
	if m.Engine, err = Open(t.Context(), server.URL(), Config{Prefix: prefix(), Now: func() time.Time { return m.now }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	plain := func(*queue.Job) {}
	m.put("suspect", plain)
	m.claim(2, time.Second)
	m.lapse()
	m.claim(0, time.Second) // it finds them lost, and marks them
	for what, s := range map[string]queue.Settlement{
		"dead": {State: queue.Dead, Outcome: queue.OutcomeFailed, Reason: queue.ReasonFailures},
		"done": {State: queue.Done, Outcome: queue.OutcomeDone},
		"kept": {State: queue.Done, Outcome: queue.OutcomeDone},
	} {
		m.put(what, func(j *queue.Job) {
			if what == "kept" {
				j.KeepFor = 48 * time.Hour
			}
		})
		for _, l := range m.claim(2, time.Minute) {
			s.Lease = l
			m.settle(s)
		}
	}
	m.put("cancelled", plain)
	for i := range 2 {
		if errs, err := m.Cancel(t.Context(), queue.Actor{Name: "ada", Why: "test"}, queue.Cut{ID: queue.NewID("k", fmt.Sprint("cancelled", i))}); err != nil || errs[0] != nil {
			t.Fatal(errs, err)
		}
	}
	m.put("lapsed", plain)
	m.claim(2, time.Second)
	m.put("running", plain)
	m.claim(2, time.Hour)
	for i := range 9 {
		m.put(fmt.Sprint("together", i), plain)
	}
	m.claim(18, time.Hour)
	m.lapse()
	m.put("later", func(j *queue.Job) { j.RunAt = m.now.Add(time.Hour) })
	m.put("due", plain)
	return m
}

func (m *motley) put(what string, change func(*queue.Job)) {
	m.t.Helper()
	for i := range 2 {
		j := queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(what, i)}
		change(&j)
		if r, err := m.Enqueue(m.t.Context(), j); err != nil || r[0].Status != queue.Accepted {
			m.t.Fatal(r, err)
		}
	}
}

func (m *motley) claim(want int, ttl time.Duration) []queue.Lease {
	m.t.Helper()
	leases, err := m.Claim(m.t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 20, TTL: ttl, CrashCaps: map[string]int{"k": 2}})
	if err != nil || len(leases) != want {
		m.t.Fatalf("%d leases, want %d: %v", len(leases), want, err)
	}
	return leases
}

func (m *motley) settle(s queue.Settlement) {
	m.t.Helper()
	if errs, err := m.Settle(m.t.Context(), s); err != nil || errs[0] != nil {
		m.t.Fatal(errs, err)
	}
}

// lapse lets leases of a second run out while the queue is served.
func (m *motley) lapse() {
	m.t.Helper()
	for range 4 {
		m.now = m.now.Add(300 * time.Millisecond)
		if err := m.Announce(m.t.Context(), queue.Worker{Name: "w"}, time.Hour); err != nil {
			m.t.Fatal(err)
		}
	}
}

// sight is all that the queue shows of itself, apart from how many were ever accepted: that a state that is gone takes
// with it.
func (m *motley) sight() string {
	m.t.Helper()
	d, err := m.Depths(m.t.Context(), "q")
	if err != nil {
		m.t.Fatal(err)
	}
	if b, err := m.Audit(m.t.Context()); err != nil || len(b) != 1 || b[0].Missing() != 0 {
		m.t.Errorf("the books: %+v, %v", b, err)
	}
	d[0].AsOf, d[0].Accepted = time.Time{}, 0
	return fmt.Sprintf("%+v", d[0])
}

// drains holds that every job that is not at rest is leased once, and ends.
func (m *motley) drains() {
	m.t.Helper()
	got := map[string]int{}
	for range 12 {
		m.now = m.now.Add(20 * time.Minute)
		if err := m.Announce(m.t.Context(), queue.Worker{Name: "w"}, time.Hour); err != nil {
			m.t.Fatal(err)
		}
		for _, lone := range []bool{false, true} {
			leases, err := m.Claim(context.Background(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 100, TTL: time.Hour, Lone: lone})
			if err != nil {
				m.t.Fatal(err)
			}
			for _, l := range leases {
				got[l.Job.Key]++
				m.settle(queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
			}
		}
	}
	for _, sort := range []string{"due", "later", "running", "lapsed", "suspect"} {
		for i := range 2 {
			if n := got[fmt.Sprint(sort, i)]; n != 1 {
				m.t.Errorf("%s%d was leased %d times", sort, i, n)
			}
		}
	}
	for i := range 9 {
		for k := range 2 {
			if n := got[fmt.Sprintf("together%d%d", i, k)]; n != 1 {
				m.t.Errorf("together%d%d was leased %d times", i, k, n)
			}
		}
	}
	if len(got) != 10+18 {
		m.t.Errorf("leased %v", got)
	}
}

// Each structure beside the records is damaged in turn, and heals; what was repaired is counted and reported.
func TestEachDamageHeals(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	del := func(what ...string) func(*motley) {
		return func(m *motley) {
			for _, w := range what {
				server.Must("DEL", m.key("q", w))
			}
		}
	}
	for _, c := range []struct {
		what    string
		damage  func(*motley)
		reports bool
	}{
		{"nothing", del(), false},
		{"the list of due jobs", del("r1"), true},
		{"the list of suspects", del("s1"), true},
		{"those due later", del("d"), true},
		{"the leased", del("l"), true},
		{"the claims' ends", del("g"), true},
		{"the claims' jobs", del("i"), true},
		{"the claims", del("g", "i"), true},
		{"the dead", del("x"), true},
		{"the ended", del("p"), true},
		{"those kept longer", del("k"), true},
		{"the state", del("m"), true},
		{"all but records, histories and lanes", del("m", "d", "l", "g", "i", "x", "p", "k", "c", "b", "r1", "s1"), true},
		{"a lease's end", func(m *motley) {
			id := queue.NewID("k", "running0")
			server.Must("ZADD", m.key("q", "l"), "5", string(id[:]))
		}, true},
		{"an id that stands in the list twice", func(m *motley) {
			server.Must("RPUSH", m.key("q", "r1"), server.Must("LINDEX", m.key("q", "r1"), "0"))
		}, false}, // whoever meets it drops it
		{"an id of no job in each", func(m *motley) {
			for _, set := range []string{"l", "x", "k"} {
				server.Must("ZADD", m.key("q", set), "1", "0123456789abcdef")
			}
			server.Must("RPUSH", m.key("q", "r1"), "0123456789abcdef")
		}, true},
		{"a running job among those due later", func(m *motley) {
			id := queue.NewID("k", "running0")
			server.Must("ZADD", m.key("q", "d"), "1", "123456789"+string(id[:]))
		}, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := newMotley(t, server)
			before := m.sight()
			c.damage(m)
			healed, err := m.Reconcile(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c.reports != (len(healed) > 0) {
				t.Errorf("it reports %+v", healed)
			}
			if s, err := m.stateOf(t.Context(), "q"); err != nil || c.reports != (s.orphaned > 0) {
				t.Errorf("it counts %+v, %v", s, err)
			}
			if again, err := m.Reconcile(t.Context()); err != nil || len(again) != 0 {
				t.Errorf("and again it repairs %+v, %v", again, err)
			}
			if after := m.sight(); after != before {
				t.Errorf("before %s\nafter  %s", before, after)
			}
			m.drains()
		})
	}
}
