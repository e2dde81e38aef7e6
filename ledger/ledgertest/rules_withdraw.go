package ledgertest

import (
	"time"

	"github.com/twicehq/twice/ledger"
)

var withdrawRules = []Rule{
	{Name: "withdraw/removes", Says: "Withdraw takes back the entry that the same try wrote: the next try asks afresh.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.withdraw(t, true)
		s.is(t.Key(), "")
		s.clock.Advance(time.Hour)
		if e := s.intend(s.first()); !e.Mine || !e.FirstSentAt.Equal(s.clock.Now()) {
			s.Errorf("the next try got %+v at %s", e, s.clock.Now())
		}
	}},
	{Name: "withdraw/repeated", Says: "A repeated Withdraw is true, and takes nothing that another wrote since.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.withdraw(t, true)
		s.withdraw(t, true)
		other := try(t.Lease, "a")
		s.intend(other)
		s.withdraw(t, false)
		s.is(t.Key(), ledger.Pending)
		if e := s.intend(other); !e.Mine {
			s.Errorf("a Withdraw by another made it %+v", e)
		}
	}},
	{Name: "withdraw/seen", Says: "An entry that any other Intend has seen is not withdrawn: it stays pending.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.intend(try(t.Lease, "a"))
		s.withdraw(t, false)
		s.is(t.Key(), ledger.Pending)
	}},
	{Name: "withdraw/seen-by-a-zombie", Says: "That holds also where the one who saw it has a lower token.", Needs: []Need{beside}, Check: func(s *Scene) {
		zombie, t := s.first(), s.first()
		s.intend(t)
		s.intend(zombie)
		s.withdraw(t, false)
		s.is(t.Key(), ledger.Pending)
	}},
	{Name: "withdraw/not-the-writer", Says: "A try that did not write the entry withdraws nothing.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		other := try(t.Lease, "a")
		s.withdraw(other, false)
		s.intend(other)
		s.withdraw(other, false)
		s.is(t.Key(), ledger.Pending)
	}},
	{Name: "withdraw/pending-only", Says: "What is unknown or confirmed is not withdrawn.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.must("Doubt", s.store.Doubt(s.ctx, t))
		s.withdraw(t, false)
		s.is(t.Key(), ledger.Unknown)
		s.confirm(t, "one")
		s.withdraw(t, false)
		s.is(t.Key(), ledger.Confirmed)
	}},
	{Name: "withdraw/denied-again", Says: "An entry that a person had denied is denied again when it is withdrawn, with who denied it.", Check: func(s *Scene) {
		s.intend(s.first())
		t := s.first()
		s.must("Answer", s.store.Answer(s.ctx, ann, t.Key(), false, nil))
		s.intend(t)
		s.withdraw(t, true)
		if e := s.entry(t.Key()); e.State != ledger.Denied || e.Answered != ann {
			s.Errorf("after it the entry is %+v", e)
		}
		if e := s.intend(s.first()); !e.Mine || !e.DeniedBefore() {
			s.Errorf("the next try got %+v", e)
		}
	}},
}
