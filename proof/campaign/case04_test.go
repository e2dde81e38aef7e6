package campaign_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

const crashCap = 3

// Case 4: a handler kills its own process; a supervisor restarts it; 20 healthy jobs share the queue.
func TestCase04ProcessKiller(t *testing.T) {
	t.Parallel()
	s := enter(t, campaign.Config{MaxCrashes: crashCap, Lone: true})
	killer := s.enqueue(campaign.Args{N: 1000, Do: campaign.Kill})[0]
	ids := s.enqueue(healthy(20)...)
	s.must(s.Hire(s.ctx, 1))
	s.must(s.Drained(s.ctx))
	s.must(s.Dismiss())
	s.buried(killer, crashCap)
	for _, id := range ids {
		s.want(id, queue.Done, queue.Counts{})
	}
	// Its last run was in a process of its own, which nobody restarts.
	if n := s.Restarts(); n == 0 || n >= crashCap {
		t.Errorf("%d restarts, the cap is %d", n, crashCap)
	}
	if n := s.Count(campaign.Company); n > 0 {
		t.Errorf("%d innocents ran in the process of the suspect", n)
	}
}

// buried fails unless the job was started as often as its crash cap says, or at least so often, then buried for
// that. It may have been given back before it began, as an interruption, where the process for it was slow to start.
func (s *scene) buried(id queue.ID, least int) {
	s.t.Helper()
	rec := s.record(id)
	if rec.State != queue.Dead || rec.Reason != queue.ReasonCrashes || rec.Counts.Crashes != crashCap || rec.Counts.Failures > 0 {
		s.t.Errorf("%s for %q with %+v", rec.State, rec.Reason, rec.Counts)
	}
	if n := s.Starts(id); n < least || n > crashCap {
		s.t.Errorf("started %d times, the cap is %d", n, crashCap)
	}
}

// Case 4, again with a killer made by a schedule that the killed process itself keeps: it still fires.
func TestCase04KillerMadeByASchedule(t *testing.T) {
	t.Parallel()
	last := time.Now().Add(3 * time.Second)
	s := enter(t, campaign.Config{MaxCrashes: crashCap, Lone: true, Lease: 500 * time.Millisecond, Killers: last})
	ids := s.enqueue(healthy(20)...)
	s.must(s.Hire(s.ctx, 1))
	dead := queue.Query{Queue: campaign.Queue, State: queue.Dead}
	s.until("the killers are dead, the schedule has fired after them, and the innocents are done", func() bool {
		var last time.Time
		after := 0
		for _, rec := range s.list(queue.Query{Queue: campaign.Queue}) {
			switch kills := bytes.Contains(rec.Job.Payload, []byte(campaign.Kill)); {
			case kills && rec.State != queue.Dead:
				return false
			case kills && rec.EndedAt.After(last):
				last = rec.EndedAt
			}
		}
		for _, rec := range s.list(queue.Query{Queue: campaign.Queue, State: queue.Done}) {
			if rec.EnqueuedAt.After(last) {
				after++
			}
		}
		return !last.IsZero() && after >= 2 && !slices.ContainsFunc(ids, func(id queue.ID) bool { return s.record(id).State != queue.Done })
	})
	s.must(s.Dismiss())
	killers := s.list(dead)
	for _, rec := range killers {
		s.buried(rec.Job.ID, 1) // one may kill the process in which another is about to begin
	}
	for _, id := range ids {
		s.want(id, queue.Done, queue.Counts{})
	}
	if n := s.Restarts(); n >= crashCap*len(killers) {
		t.Errorf("%d restarts by %d killers, the cap is %d", n, len(killers), crashCap)
	}
	t.Logf("%d killers, %d restarts", len(killers), s.Restarts())
}
