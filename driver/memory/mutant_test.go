package memory

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/queue/queuetest"
)

// mutant is an engine with one guard removed. A field that is nil leaves the engine as it is.
type mutant struct {
	*Engine
	name     string
	enqueue  func(m *mutant, jobs []queue.Job) []queue.Job
	enqueued func(m *mutant, jobs []queue.Job, got []queue.Receipt)
	claim    func(m *mutant, req queue.Claim) queue.Claim
	claimed  func(m *mutant, req queue.Claim, got []queue.Lease) []queue.Lease
	lease    func(m *mutant, l queue.Lease) queue.Lease // before extend
	settle   func(m *mutant, end queue.Settlement) queue.Settlement
	settled  func(m *mutant, end queue.Settlement, err error) error
	redrive  func(m *mutant, r *row)
	redriven func(m *mutant, r *row)
	cut      func(c queue.Cut) queue.Cut
	pruned   func(m *mutant)
	seenLock *sync.Mutex
	seen     map[queue.ClaimID][]queue.Lease
}

// rows lets change see every row off its shelf, and puts it where it then belongs.
func (m *mutant) rows(change func(*row)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.jobs {
		m.take(r)
		change(r)
		m.place(r, m.clock)
	}
}

func (m *mutant) row(id queue.ID, change func(*row)) {
	m.rows(func(r *row) {
		if r.job.ID == id {
			change(r)
		}
	})
}

func (m *mutant) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if m.enqueue != nil {
		jobs = m.enqueue(m, slices.Clone(jobs))
	}
	got, err := m.Engine.Enqueue(ctx, jobs...)
	if m.enqueued != nil {
		m.enqueued(m, jobs, got)
	}
	return got, err
}

func (m *mutant) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	asked := req
	if m.claim != nil {
		req = m.claim(m, req)
	}
	got, err := m.Engine.Claim(ctx, req)
	if m.claimed != nil && err == nil {
		m.seenLock.Lock()
		defer m.seenLock.Unlock()
		got = m.claimed(m, asked, got)
	}
	return got, err
}

func (m *mutant) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	leases = slices.Clone(leases)
	for i, l := range leases {
		if m.lease != nil {
			leases[i] = m.lease(m, l)
		}
	}
	return m.Engine.Extend(ctx, ttl, leases...)
}

func (m *mutant) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	errs := make([]error, len(ends))
	for i, end := range ends {
		if m.settle != nil {
			end = m.settle(m, end)
		}
		one, err := m.Engine.Settle(ctx, end)
		if err != nil {
			return nil, err
		}
		if errs[i] = one[0]; m.settled != nil {
			errs[i] = m.settled(m, ends[i], one[0])
		}
	}
	return errs, nil
}

func (m *mutant) Redrive(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	for _, id := range ids {
		if m.redrive != nil {
			m.row(id, func(r *row) { m.redrive(m, r) })
		}
	}
	errs, err := m.Engine.Redrive(ctx, by, ids...)
	for _, id := range ids {
		if m.redriven != nil {
			m.row(id, func(r *row) { m.redriven(m, r) })
		}
	}
	return errs, err
}

func (m *mutant) Cancel(ctx context.Context, by queue.Actor, cuts ...queue.Cut) ([]error, error) {
	cuts = slices.Clone(cuts)
	for i, c := range cuts {
		if m.cut != nil {
			cuts[i] = m.cut(c)
		}
	}
	return m.Engine.Cancel(ctx, by, cuts...)
}

func (m *mutant) Prune(ctx context.Context, limit int) (int, error) {
	n, err := m.Engine.Prune(ctx, limit)
	if m.pruned != nil {
		m.pruned(m)
	}
	return n, err
}

// current makes any lease the one that its row carries.
func current(m *mutant, l queue.Lease) queue.Lease {
	m.row(l.Job.ID, func(r *row) { l.ID, l.Token = r.lease, r.token })
	return l
}

var engineMutants = []mutant{
	{name: "settle without lease check", settle: func(m *mutant, end queue.Settlement) queue.Settlement {
		end.Lease = current(m, end.Lease)
		return end
	}},
	{name: "extend without lease check", lease: current},
	{name: "settle in any state", settle: func(m *mutant, end queue.Settlement) queue.Settlement {
		m.row(end.Lease.Job.ID, func(r *row) {
			if r.state.Ended() && r.last.lease == end.Lease.ID && r.last.state != end.State {
				m.seize(r, queue.NewClaimID())
				r.lease, r.last = end.Lease.ID, settled{}
				m.turn(r, queue.Running)
			}
		})
		return end
	}},
	{name: "crash counted at failure", settled: func(m *mutant, end queue.Settlement, err error) error {
		if err == nil && end.Count == queue.CountFailure {
			m.row(end.Lease.Job.ID, func(r *row) { r.counts.Crashes++ })
		}
		return err
	}},
	{name: "token reset by redrive", redriven: func(m *mutant, r *row) { r.token = 0 }},
	{name: "token used again after prune", pruned: func(m *mutant) { m.line("q").floor = 0 }},
	{name: "old claim revives its leases", claimed: func(m *mutant, req queue.Claim, got []queue.Lease) []queue.Lease {
		old, again := m.seen[req.ID]
		if !again {
			m.seen[req.ID] = got
			return got
		}
		for _, l := range old {
			m.row(l.Job.ID, func(r *row) {
				if r.state == queue.Queued || r.state == queue.Running {
					if r.state == queue.Running {
						m.release(r)
					}
					m.seize(r, req.ID)
					r.lease, r.token = l.ID, l.Token
					m.turn(r, queue.Running)
				}
			})
		}
		return old
	}},
	{name: "repeated settlement says lost", settled: func(m *mutant, end queue.Settlement, err error) error {
		m.row(end.Lease.Job.ID, func(r *row) { r.last = settled{} })
		return err
	}},
	{name: "repeated claim gives nothing", claimed: func(m *mutant, req queue.Claim, got []queue.Lease) []queue.Lease {
		if _, again := m.seen[req.ID]; again {
			return nil
		}
		m.seen[req.ID] = got
		return got
	}},
	{name: "lone leased in company", claim: func(m *mutant, req queue.Claim) queue.Claim {
		if !req.Lone {
			m.rows(func(r *row) { r.lone = false })
		}
		return req
	}},
	{name: "lone not marked", claim: func(m *mutant, req queue.Claim) queue.Claim {
		req.CrashCaps = nil
		return req
	}},
	{name: "several lone at a time", claim: func(m *mutant, req queue.Claim) queue.Claim {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, l := range m.lines {
			clear(l.alone)
		}
		return req
	}},
	{name: "duplicate overwrites the payload", enqueued: func(m *mutant, jobs []queue.Job, got []queue.Receipt) {
		for i, g := range got {
			if g.Status == queue.Duplicate {
				m.row(g.Holder, func(r *row) { r.job.Payload = slices.Clone(jobs[i].Payload) })
			}
		}
	}},
	{name: "conflict told as duplicate", enqueued: func(m *mutant, jobs []queue.Job, got []queue.Receipt) {
		for i, g := range got {
			if g.Status == queue.Conflict {
				got[i].Status, got[i].Err = queue.Duplicate, nil
			}
		}
	}},
	{name: "no check of the mark", enqueue: func(m *mutant, jobs []queue.Job) []queue.Job {
		m.mu.Lock()
		defer m.mu.Unlock()
		for i, j := range jobs {
			if !j.Origin.After(m.mark) {
				jobs[i].Origin = time.Time{}
			}
		}
		return jobs
	}},
	{name: "duplicate does not raise freshness", enqueue: func(m *mutant, jobs []queue.Job) []queue.Job {
		m.mu.Lock()
		defer m.mu.Unlock()
		for i, j := range jobs {
			if r, ok := m.jobs[queue.NewID(j.Kind, j.Key)]; ok && j.Origin.After(r.fresh) {
				jobs[i].Origin = time.Time{}
			}
		}
		return jobs
	}},
	{name: "prune loses its count", pruned: func(m *mutant) { m.line("q").pruned = 0 }},
	{name: "paused queue claimed", claim: func(m *mutant, req queue.Claim) queue.Claim {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, l := range m.lines {
			l.paused = false
		}
		return req
	}},
	{name: "unknown kinds claimed", claim: func(m *mutant, req queue.Claim) queue.Claim {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, r := range m.jobs {
			if !slices.Contains(req.Kinds, r.job.Kind) {
				req.Kinds = append(slices.Clone(req.Kinds), r.job.Kind)
			}
		}
		return req
	}},
	{name: "priority ignored", enqueue: func(m *mutant, jobs []queue.Job) []queue.Job {
		for i := range jobs {
			jobs[i].Priority = 0
		}
		return jobs
	}},
	{name: "next not atomic", settle: func(m *mutant, end queue.Settlement) queue.Settlement {
		for _, j := range end.Next {
			_, _ = m.Engine.Enqueue(context.Background(), j)
		}
		end.Next = nil
		return end
	}},
	{name: "cancel ignores the token", cut: func(c queue.Cut) queue.Cut {
		c.Sealed = false
		return c
	}},
	{name: "bytes mangled", enqueue: func(m *mutant, jobs []queue.Job) []queue.Job {
		for i, j := range jobs {
			jobs[i].Payload = []byte(strings.ToValidUTF8(string(j.Payload), "\uFFFD"))
		}
		return jobs
	}},
	{name: "redrive past its cap", redrive: func(m *mutant, r *row) { r.counts.Redrives = min(r.counts.Redrives, 5) }},
	{name: "doubt redriven", redrive: func(m *mutant, r *row) {
		if r.reason == queue.ReasonDoubt {
			r.reason = queue.ReasonFailures
		}
	}},
	{name: "dead letters trimmed silently", settled: func(m *mutant, end queue.Settlement, err error) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		var dead []*row
		for _, r := range m.jobs {
			if r.state == queue.Dead {
				dead = append(dead, r)
			}
		}
		if len(dead) > 100 {
			r := slices.MinFunc(dead, func(a, b *row) int { return int(a.seq - b.seq) })
			l := m.line(r.job.Queue)
			l.tally[queue.Dead]--
			delete(m.jobs, r.job.ID)
			r.pruned = true
		}
		return err
	}},
	{name: "a lease says that it was due when it was claimed", claimed: func(m *mutant, req queue.Claim, got []queue.Lease) []queue.Lease {
		for i := range got {
			got[i].DueAt = got[i].ClaimedAt
		}
		return got
	}},
	{name: "claim does not refresh", claimed: func(m *mutant, req queue.Claim, got []queue.Lease) []queue.Lease {
		for i := range got {
			m.row(got[i].Job.ID, func(r *row) { r.fresh = latest(r.job.Origin, r.job.RunAt); got[i].FreshAt = r.fresh })
		}
		return got
	}},
	{name: "silence of the engine counts as crashes", claim: func(m *mutant, req queue.Claim) queue.Claim {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.serve(m.now())
		return req
	}},
	{name: "a silence spares for ever", claim: func(m *mutant, req queue.Claim) queue.Claim {
		m.rows(func(r *row) { r.spared = false })
		return req
	}},
	{name: "spared in one silence of all", claimed: func(m *mutant, req queue.Claim, got []queue.Lease) []queue.Lease {
		for _, l := range got {
			m.row(l.Job.ID, func(r *row) { r.spared = l.Token > 1 })
		}
		return got
	}},
	{name: "only a claim looks for a silence", enqueue: func(m *mutant, jobs []queue.Job) []queue.Job {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.serve(m.now())
		return jobs
	}},
	{name: "leases run out and are never replaced", claim: func(m *mutant, req queue.Claim) queue.Claim {
		m.rows(func(r *row) {
			if r.state == queue.Running {
				r.at = latest(r.at, m.clock.Add(time.Hour))
			}
		})
		return req
	}},
}

// Each broken engine must fail some rule: else the suite would let a driver do the same.
func TestEngineMutants(t *testing.T) {
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "1ms", "rapid.checks": "20"} {
		old := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set(name, old) }()
	}
	t.Run("each", func(t *testing.T) {
		for i := range engineMutants {
			t.Run(engineMutants[i].name, func(t *testing.T) {
				t.Parallel()
				killers := kill(t, engineMutants[i])
				if len(killers) == 0 {
					t.Fatal("it survives every rule")
				}
				t.Logf("%q is killed by %d rules: %s", engineMutants[i].name, len(killers), strings.Join(killers, " · "))
			})
		}
	})
	if survivor := kill(t, mutant{name: "nothing removed"}); len(survivor) != 0 {
		t.Errorf("an engine with every guard fails: %s", survivor)
	}
}

// kill gives the rules that m breaks.
func kill(t *testing.T, m mutant) (killers []string) {
	for _, r := range queuetest.Rules() {
		if strings.Contains(r.Name, "wakes") && m.name != "nothing removed" {
			continue // it would wait long for what never comes
		}
		clock := queuetest.NewClock()
		e, err := New(Config{Now: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		broken := m
		broken.Engine, broken.seen, broken.seenLock = e, map[queue.ClaimID][]queue.Lease{}, new(sync.Mutex)
		if result, said := r.Try(&broken, clock); result == queuetest.Broken {
			killers = append(killers, fmt.Sprintf("%s (%.60s)", r.Name, said[0]))
		}
		_ = e.Close()
	}
	return killers
}
