package queuetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// ttl is how long leases of the suite last.
const ttl = 30 * time.Second

// by is who makes changes here.
var by = queue.Actor{Name: "ada", Why: "conformance"}

// Scene is one engine, its clock, and the words that rules are written in. A word without a Fatalf in
// its name still ends the rule where the engine fails at what the rule takes for granted.
type Scene struct {
	T
	Engine queue.Engine
	Clock  *Clock
	ctx    context.Context
	beats  int
}

func newScene(t T, e queue.Engine, clock *Clock) *Scene {
	return &Scene{T: t, Engine: e, Clock: clock, ctx: context.Background()}
}

func ask[C any](s *Scene) C {
	s.Helper()
	c, ok := queue.As[C](s.Engine)
	if !ok {
		s.Fatalf("the engine lacks an ability that the rule does not declare")
	}
	return c
}

// job makes one of kind "k" in queue "q", with its key as payload.
func job(key string, change ...func(*queue.Job)) queue.Job {
	j := queue.Job{Queue: "q", Kind: "k", Key: key, Payload: []byte(key)}
	for _, c := range change {
		c(&j)
	}
	return j
}

func id(key string) queue.ID { return queue.NewID("k", key) }

func whole(j *queue.Job) { j.KeepFor = 48 * time.Hour }

// enqueue gives the receipts.
func (s *Scene) enqueue(jobs ...queue.Job) []queue.Receipt {
	s.Helper()
	receipts, err := s.Engine.Enqueue(s.ctx, jobs...)
	if err != nil || len(receipts) != len(jobs) {
		s.Fatalf("enqueue of %d jobs: %d receipts, %v", len(jobs), len(receipts), err)
	}
	return receipts
}

// accept stores jobs and gives the id of the first.
func (s *Scene) accept(jobs ...queue.Job) queue.ID {
	s.Helper()
	receipts := s.enqueue(jobs...)
	for i, r := range receipts {
		if r.Status != queue.Accepted || r.Err != nil {
			s.Fatalf("enqueue %s: %s, %v", jobs[i].Key, r.Status, r.Err)
		}
	}
	return receipts[0].ID
}

// request is a claim by worker of up to ten.
func request(worker string, change ...func(*queue.Claim)) queue.Claim {
	c := queue.Claim{ID: queue.NewClaimID(), Worker: worker, Queues: []string{"q"}, Kinds: []string{"k"}, Max: 10, TTL: ttl}
	for _, f := range change {
		f(&c)
	}
	return c
}

func lone(c *queue.Claim) { c.Lone = true }

func caps(n int) func(*queue.Claim) {
	return func(c *queue.Claim) { c.CrashCaps = map[string]int{"k": n} }
}

func upTo(n int) func(*queue.Claim) { return func(c *queue.Claim) { c.Max = n } }

func (s *Scene) claim(req queue.Claim) []queue.Lease {
	s.Helper()
	leases, err := s.Engine.Claim(s.ctx, req)
	if err != nil {
		s.Fatalf("claim: %v", err)
	}
	return leases
}

// take claims the one job that is due.
func (s *Scene) take(worker string, change ...func(*queue.Claim)) queue.Lease {
	s.Helper()
	leases := s.claim(request(worker, change...))
	if len(leases) != 1 {
		s.Fatalf("claim by %s: %d leases %s, want 1", worker, len(leases), keys(leases))
	}
	return leases[0]
}

// none holds that a claim gets nothing.
func (s *Scene) none(why string, change ...func(*queue.Claim)) {
	s.Helper()
	if leases := s.claim(request("nobody", change...)); len(leases) > 0 {
		s.Fatalf("%s: leased %s all the same", why, keys(leases))
	}
}

func keys(leases []queue.Lease) []string {
	out := []string{}
	for _, l := range leases {
		out = append(out, l.Job.Key)
	}
	return out
}

func (s *Scene) extend(l queue.Lease) error {
	s.Helper()
	errs, err := s.Engine.Extend(s.ctx, ttl, l)
	if err != nil || len(errs) != 1 {
		s.Fatalf("extend: %d answers, %v", len(errs), err)
	}
	return errs[0]
}

// settle gives the answer to one settlement.
func (s *Scene) settle(end queue.Settlement) error {
	s.Helper()
	errs, err := s.Engine.Settle(s.ctx, end)
	if err != nil || len(errs) != 1 {
		s.Fatalf("settle: %d answers, %v", len(errs), err)
	}
	return errs[0]
}

// end settles, and ends the rule where that is refused.
func (s *Scene) end(end queue.Settlement) {
	s.Helper()
	if err := s.settle(end); err != nil {
		s.Fatalf("settle %s: %v", end.State, err)
	}
}

func done(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
}

func failed(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: "it failed"}
}

func dead(l queue.Lease, why queue.Reason) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Dead, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Reason: why, Error: "it gave up"}
}

// bury enqueues a job and makes it dead.
func (s *Scene) bury(key string, why queue.Reason) queue.ID {
	s.Helper()
	id := s.accept(job(key))
	s.end(dead(s.take("undertaker"), why))
	return id
}

// lapse lets leases run out while the engine serves: a minute by steps, each with a write of somebody else.
func (s *Scene) lapse() {
	s.Helper()
	for range 4 {
		s.Clock.Advance(ttl / 3)
		s.beat()
	}
}

// beat is a write that concerns no job of the rule.
func (s *Scene) beat() {
	s.Helper()
	var err error
	if p, ok := queue.As[queue.Presence](s.Engine); ok {
		err = p.Announce(s.ctx, queue.Worker{Name: "bystander"}, time.Hour)
	} else {
		s.beats++
		_, err = s.Engine.Enqueue(s.ctx, queue.Job{Queue: "beats", Kind: "beat", Key: fmt.Sprint(s.beats)})
	}
	if err != nil {
		s.Fatalf("beat: %v", err)
	}
}

func (s *Scene) record(id queue.ID) queue.Record {
	s.Helper()
	r, err := ask[queue.Inspector](s).Job(s.ctx, id)
	if err != nil {
		s.Fatalf("job %s: %v", id, err)
	}
	return r
}

// state holds that the job is in this state, where the engine can tell.
func (s *Scene) state(id queue.ID, want queue.State) {
	s.Helper()
	if _, ok := queue.As[queue.Inspector](s.Engine); !ok {
		return
	}
	if got := s.record(id).State; got != want {
		s.Errorf("job is %s, want %s", got, want)
	}
}

// is holds that err is reason.
func (s *Scene) is(err, reason error, what string) {
	s.Helper()
	if !errors.Is(err, reason) {
		s.Errorf("%s: %v, want %v", what, err, reason)
	}
}

// depth gives the counts once they are of this moment and until says that they are right, or else the
// last: engines may be MaxCountAge late.
func (s *Scene) depth(name string, until func(queue.Depth) bool) queue.Depth {
	s.Helper()
	var d queue.Depth
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		all, err := ask[queue.Inspector](s).Depths(s.ctx, name)
		if err != nil || len(all) != 1 {
			s.Fatalf("depths of %s: %v, %v", name, all, err)
		}
		if d = all[0]; until(d) || time.Since(start) > 2*queue.MaxCountAge {
			return d
		}
	}
}

// books gives the audit of a queue.
func (s *Scene) books(name string) queue.Books {
	s.Helper()
	all, err := ask[queue.Auditor](s).Audit(s.ctx)
	if err != nil {
		s.Fatalf("audit: %v", err)
	}
	for _, b := range all {
		if b.Queue == name {
			return b
		}
	}
	return queue.Books{Queue: name}
}

// one gives the only answer of an operator's call.
func (s *Scene) one(errs []error, err error) error {
	s.Helper()
	if err != nil || len(errs) != 1 {
		s.Fatalf("%d answers, %v", len(errs), err)
	}
	return errs[0]
}

// must ends the rule on an error.
func (s *Scene) must(err error, what string) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", what, err)
	}
}
