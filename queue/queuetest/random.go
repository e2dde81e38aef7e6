package queuetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/twicehq/twice/queue"
)

var randomRules = []Rule{
	{"random histories", "whatever is done in whatever order, states, tokens, counts and sums are those of the protocol", []Need{inspects, operates, audits, fences, counts, dedupes, repeats}, func(s *Scene) {
		n := 0
		rapid.Check(tb{s.T, new(bool)}, func(t *rapid.T) {
			n++
			h := &history{s: newScene(t, s.Engine, s.Clock), queue: fmt.Sprint("h", n), jobs: map[string]*model{}}
			t.Repeat(map[string]func(*rapid.T){
				"enqueue": h.enqueue, "claim": h.claim, "claim again": h.claimAgain, "extend": h.extend, "settle": h.settle,
				"cancel": h.cancel, "redrive": h.redrive, "time": h.time, "": h.check,
			})
		})
	}},
}

// history is a random run of an engine beside a model of it.
type history struct {
	s      *Scene
	queue  string
	jobs   map[string]*model
	leases []queue.Lease // every lease ever given
	claims []queue.Claim
}

// model is what the protocol says of one job.
type model struct {
	print  uint64
	state  queue.State
	token  int64
	due    time.Time // when it may be claimed: its run-at, or the end of its lease
	lease  queue.LeaseID
	last   queue.Settlement // applied, until the next claim
	counts queue.Counts
	lone   bool
}

const crashCap = 3 // in every claim here

func (h *history) now() time.Time         { return h.s.Clock.Now() }
func (h *history) id(key string) queue.ID { return id(h.queue + key) }
func (h *history) model(id queue.ID) *model {
	for key, m := range h.jobs {
		if h.id(key) == id {
			return m
		}
	}
	return nil
}

func drawKey(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
}

func (h *history) enqueue(t *rapid.T) {
	key := drawKey(t)
	j := job(h.queue+key, whole, func(j *queue.Job) {
		j.Queue = h.queue
		j.Fingerprint = rapid.Uint64Range(1, 2).Draw(t, "fingerprint")
		j.RunAt = h.now().Add(rapid.SampledFrom([]time.Duration{0, 0, 25 * time.Second}).Draw(t, "wait"))
	})
	got := h.s.enqueue(j)[0]
	m, want := h.jobs[key], queue.Duplicate
	switch {
	case m == nil:
		want = queue.Accepted
		h.jobs[key] = &model{print: j.Fingerprint, state: queue.Queued, due: j.RunAt}
	case m.print != j.Fingerprint:
		want = queue.Conflict
	}
	if got.Status != want || (m != nil && got.HolderState != m.state) {
		t.Fatalf("enqueue %s: %s, holder %s; want %s", key, got.Status, got.HolderState, want)
	}
}

func (h *history) claim(t *rapid.T) {
	alone := rapid.Bool().Draw(t, "lone")
	req := request("w", caps(crashCap), func(c *queue.Claim) { c.Queues, c.Lone = []string{h.queue}, alone })
	var busy bool
	eligible := map[queue.ID]*model{}
	for key, m := range h.jobs {
		living := m.state == queue.Queued || m.state == queue.Running
		if living && m.lone == alone && !m.due.After(h.now()) {
			eligible[h.id(key)] = m
		}
		busy = busy || (m.state == queue.Running && m.lone && m.due.After(h.now()))
	}
	want := len(eligible)
	if alone {
		want = min(want, 1)
		if busy {
			want = 0
		}
	} else {
		for id, m := range eligible { // suspects are marked, and not leased
			if m.state == queue.Running && m.counts.Crashes+1 == crashCap-1 {
				m.counts.Crashes++
				m.state, m.lone, m.lease, m.last, m.due = queue.Queued, true, queue.LeaseID{}, queue.Settlement{}, h.now()
				defer func() { m.token = h.rises(t, id, m.token) }()
				delete(eligible, id)
				want--
			}
		}
	}
	leases := h.s.claim(req)
	if len(leases) != want {
		t.Fatalf("leased %s, want %d", keys(leases), want)
	}
	if want > 0 {
		h.claims = append(h.claims, req)
	}
	for _, l := range leases {
		m := eligible[l.Job.ID]
		if m == nil {
			t.Fatalf("leased %s, which was not to be had", l.Job.Key)
		}
		if m.state == queue.Running {
			m.counts.Crashes++
		}
		if l.Token <= m.token || l.Counts != m.counts || l.Lone != m.lone {
			t.Fatalf("%s: token %d after %d, %+v, want %+v, lone %v", l.Job.Key, l.Token, m.token, l.Counts, m.counts, l.Lone)
		}
		m.state, m.token, m.lease, m.last, m.due = queue.Running, l.Token, l.ID, queue.Settlement{}, l.Until
		h.leases = append(h.leases, l)
	}
}

func (h *history) rises(t *rapid.T, id queue.ID, from int64) int64 {
	if r := h.s.record(id); r.Token > from {
		return r.Token
	}
	t.Fatalf("the token of a suspect stayed %d", from)
	return 0
}

func (h *history) claimAgain(t *rapid.T) {
	if len(h.claims) == 0 {
		return
	}
	req := h.claims[rapid.IntRange(0, len(h.claims)-1).Draw(t, "claim")]
	var want []queue.LeaseID
	for key, m := range h.jobs {
		if m.state == queue.Running && m.lease == req.ID.Lease(h.id(key), m.token) {
			want = append(want, m.lease)
		}
	}
	if len(want) == 0 {
		return // nothing of it is held: it would be a new claim
	}
	leases := h.s.claim(req)
	for _, l := range leases {
		if !slices.Contains(want, l.ID) {
			t.Fatalf("claim again: %s was not held by it", l.Job.Key)
		}
	}
	if len(leases) != len(want) {
		t.Fatalf("claim again: %d leases, want %d", len(leases), len(want))
	}
}

// lease draws any lease ever given, with the model of its job.
func (h *history) lease(t *rapid.T) (queue.Lease, *model) {
	if len(h.leases) == 0 {
		return queue.Lease{}, nil
	}
	l := h.leases[rapid.IntRange(0, len(h.leases)-1).Draw(t, "lease")]
	return l, h.model(l.Job.ID)
}

func (h *history) extend(t *rapid.T) {
	l, m := h.lease(t)
	if m == nil {
		return
	}
	held := m.state == queue.Running && m.lease == l.ID
	if err := h.s.extend(l); held != (err == nil) || (!held && !errors.Is(err, queue.ErrLeaseLost)) {
		t.Fatalf("extend: %v, held %v", err, held)
	}
	if held {
		m.due = h.now().Add(ttl)
	}
}

func (h *history) settle(t *rapid.T) {
	l, m := h.lease(t)
	if m == nil {
		return
	}
	end := rapid.SampledFrom([]queue.Settlement{done(l), failed(l), failed(l), dead(l, queue.ReasonFailures)}).Draw(t, "end")
	if !h.s.Engine.Traits().Fences {
		return
	}
	held := m.state == queue.Running && m.lease == l.ID
	repeated := m.last.State == end.State && m.last.Lease.ID == l.ID
	err := h.s.settle(end)
	if (held || repeated) != (err == nil) || (err != nil && !errors.Is(err, queue.ErrLeaseLost)) {
		t.Fatalf("settle %s: %v, held %v, repeated %v", end.State, err, held, repeated)
	}
	if held {
		m.state, m.lease, m.last, m.due = end.State, queue.LeaseID{}, end, h.now()
		if end.Count == queue.CountFailure {
			m.counts.Failures++
		}
	}
}

func (h *history) cancel(t *rapid.T) {
	key := drawKey(t)
	m := h.jobs[key]
	if m == nil {
		return
	}
	err := h.s.one(ask[queue.Operator](h.s).Cancel(h.s.ctx, by, queue.Cut{ID: h.id(key)}))
	if m.state.Ended() {
		h.s.is(err, queue.ErrState, "cancel")
		return
	}
	h.s.must(err, "cancel")
	m.state, m.lease = queue.Cancelled, queue.LeaseID{}
}

func (h *history) redrive(t *rapid.T) {
	key := drawKey(t)
	m := h.jobs[key]
	if m == nil {
		return
	}
	err := h.s.one(ask[queue.Operator](h.s).Redrive(h.s.ctx, by, h.id(key)))
	switch {
	case m.state != queue.Dead:
		h.s.is(err, queue.ErrState, "redrive")
	case m.counts.Redrives == queue.MaxRedrives:
		h.s.is(err, queue.ErrCapped, "redrive")
	default:
		h.s.must(err, "redrive")
		m.state, m.due, m.lone, m.counts = queue.Queued, h.now(), false, queue.Counts{Redrives: m.counts.Redrives + 1}
	}
}

// time passes, in steps in which the engine serves.
func (h *history) time(t *rapid.T) {
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		h.s.Clock.Advance(ttl / 3)
		h.s.beat()
	}
}

func (h *history) check(t *rapid.T) {
	var want queue.Tally
	for key, m := range h.jobs {
		r := h.s.record(h.id(key))
		if r.State != m.state || r.Counts != m.counts || r.Token != m.token || r.Lone != m.lone {
			t.Fatalf("%s: %s, %+v, token %d, lone %v; want %s, %+v, token %d, lone %v", key, r.State, r.Counts, r.Token, r.Lone, m.state, m.counts, m.token, m.lone)
		}
		switch m.state {
		case queue.Queued:
			want.Queued++
		case queue.Running:
			want.Running++
		case queue.Done:
			want.Done++
		case queue.Dead:
			want.Dead++
		case queue.Cancelled:
			want.Cancelled++
		}
	}
	if b := h.s.books(h.queue); b.Found != want || b.Accepted != int64(len(h.jobs)) || b.Missing() != 0 {
		t.Fatalf("%+v, want %+v of %d", b, want, len(h.jobs))
	}
}

// tb gives package rapid what it asks of a test.
type tb struct {
	T
	failed *bool
}

func (t tb) Errorf(format string, args ...any) { *t.failed = true; t.T.Errorf(format, args...) }
func (t tb) Fatalf(format string, args ...any) { *t.failed = true; t.T.Fatalf(format, args...) }
func (t tb) Log(args ...any)                   { t.Logf("%s", fmt.Sprintln(args...)) }
func (t tb) Skipf(string, ...any)              {}
func (t tb) Skip(...any)                       {}
func (t tb) SkipNow()                          {}
func (t tb) Error(args ...any)                 { t.Errorf("%s", fmt.Sprintln(args...)) }
func (t tb) Fatal(args ...any)                 { t.Fatalf("%s", fmt.Sprintln(args...)) }
func (t tb) FailNow()                          { t.Fatalf("failed") }
func (t tb) Fail()                             { t.Errorf("failed") }
func (t tb) Failed() bool                      { return *t.failed }
