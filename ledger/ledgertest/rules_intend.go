package ledgertest

import (
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

var intendRules = []Rule{
	{Name: "intend/mine", Says: "Where there is no entry, Intend writes a pending one, which is Mine, with the store's time.", Check: func(s *Scene) {
		t := s.first()
		e := s.intend(t)
		if e.State != ledger.Pending || !e.Mine || e.Key != t.Key() || e.Fingerprint != t.Fingerprint || e.Token != t.Lease.Token || e.DeniedBefore() {
			s.Errorf("the first Intend gave %+v", e)
		}
		if now := s.clock.Now(); !e.FirstSentAt.Equal(now) || !e.Now.Equal(now) || !e.FreshAt.Equal(t.Lease.FreshAt) {
			s.Errorf("first sent %s, now %s, fresh %s; the clock is at %s, the lease fresh at %s", e.FirstSentAt, e.Now, e.FreshAt, now, t.Lease.FreshAt)
		}
	}},
	{Name: "intend/repeated", Says: "A repeated call of the same try answers as the first did.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		if e := s.intend(t); !e.Mine || e.State != ledger.Pending {
			s.Errorf("the same Intend again gave %+v, want it still mine", e)
		}
	}},
	{Name: "intend/not-mine", Says: "An entry that another try wrote is given as it stands, not Mine, and when it was first sent stays.", Check: func(s *Scene) {
		t := s.first()
		first := s.intend(t)
		s.clock.Advance(time.Minute)
		e := s.intend(try(t.Lease, "a"))
		if e.Mine || e.State != ledger.Pending || !e.FirstSentAt.Equal(first.FirstSentAt) || !e.Now.Equal(s.clock.Now()) {
			s.Errorf("a second try got %+v", e)
		}
		if e := s.intend(t); e.Mine {
			s.Errorf("once another has seen it, it is mine no more: %+v", e)
		}
	}},
	{Name: "intend/clock-set-back", Says: "The store's clock never goes back: where the host's is set back it goes on from where it was, at that one's pace.", Check: func(s *Scene) {
		t := s.first()
		first := s.intend(t)
		s.clock.Advance(-10 * time.Minute)
		if e := s.intend(try(t.Lease, "a")); e.Now.Before(first.Now) {
			s.Errorf("the clock went back from %s to %s", first.Now, e.Now)
		}
		s.clock.Advance(time.Minute)
		if e := s.intend(try(t.Lease, "a")); e.Now.Before(first.Now.Add(time.Minute)) {
			s.Errorf("a minute after %s it is %s", first.Now, e.Now)
		}
	}},
	{Name: "intend/leaves-its-mark", Says: "A try that finds an entry pending raises its token and freshness to the try's.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.clock.Advance(time.Hour)
		later := s.lease("j")
		s.intend(try(later, "a"))
		if e := s.entry(t.Key()); e.Token != later.Token || !e.FreshAt.Equal(later.FreshAt) {
			s.Errorf("the entry has token %d, fresh at %s; the try has %d, %s", e.Token, e.FreshAt, later.Token, later.FreshAt)
		}
	}},
	{Name: "intend/lower-token", Says: "A try with a lower token lowers neither token nor freshness.", Needs: []Need{beside}, Check: func(s *Scene) {
		zombie := s.first()
		s.clock.Advance(time.Hour)
		t := s.first()
		s.intend(t)
		s.intend(zombie)
		if e := s.entry(t.Key()); e.Token != t.Lease.Token || !e.FreshAt.Equal(t.Lease.FreshAt) {
			s.Errorf("the entry fell to token %d, fresh at %s", e.Token, e.FreshAt)
		}
	}},
	{Name: "intend/conflict", Says: "Another fingerprint is ErrConflict and changes nothing; 0 is not compared.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		other := try(t.Lease, "a")
		other.Fingerprint = 8
		_, err := s.store.Intend(s.ctx, other)
		s.want("Intend with another fingerprint", err, queue.ErrConflict)
		s.withdraw(t, true) // nobody has seen it
		s.recorded(t, "1")
		_, err = s.store.Intend(s.ctx, other)
		s.want("the same of a confirmed entry", err, queue.ErrConflict)
		other.Fingerprint = 0
		s.intend(other)
	}},
	{Name: "intend/confirmed", Says: "A confirmed entry is given with its result, and refreshed by a try that would not be refused.", Check: func(s *Scene) {
		s.recorded(s.first(), "result")
		s.clock.Advance(time.Hour)
		t := s.first()
		e := s.intend(t)
		if e.State != ledger.Confirmed || string(e.Result) != "result" || e.Mine {
			s.Errorf("a repeat got %+v", e)
		}
		if e := s.entry(t.Key()); !e.FreshAt.Equal(t.Lease.FreshAt) || e.Token != t.Lease.Token {
			s.Errorf("after it the entry has token %d, fresh at %s; the try has %d, %s", e.Token, e.FreshAt, t.Lease.Token, t.Lease.FreshAt)
		}
	}},
	{Name: "intend/confirmed-to-refused", Says: "A confirmed entry is given also to a try that would be refused, which refreshes nothing.", Check: func(s *Scene) {
		s.recorded(s.first(), "result")
		s.clock.Advance(time.Hour)
		t := s.first()
		before := s.entry(t.Key())
		s.seal(t.Lease)
		if e := s.intend(t); e.State != ledger.Confirmed || string(e.Result) != "result" {
			s.Errorf("a sealed try got %+v", e)
		}
		if e := s.entry(t.Key()); !e.FreshAt.Equal(before.FreshAt) || e.Token != before.Token {
			s.Errorf("a sealed try refreshed the entry to token %d, %s", e.Token, e.FreshAt)
		}
	}},
	{Name: "intend/apart", Says: "Entries of other steps and other jobs are other entries; Entries gives a job's, by step.", Check: func(s *Scene) {
		j, k := s.lease("j"), s.lease("k")
		for _, t := range []ledger.Try{try(j, "b"), try(j, "a"), try(j, "a.b"), try(k, "a")} {
			if e := s.intend(t); !e.Mine {
				s.Errorf("%s was taken: %+v", t.Key(), e)
			}
		}
		list, err := s.store.Entries(s.ctx, j.Job.ID)
		s.must("Entries", err)
		var steps []string
		for _, e := range list {
			steps = append(steps, e.Key.Step)
		}
		if len(steps) != 3 || steps[0] != "a" || steps[1] != "a.b" || steps[2] != "b" {
			s.Errorf("Entries gave %q", steps)
		}
	}},
}
