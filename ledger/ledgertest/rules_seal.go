package ledgertest

import (
	"slices"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

var sealRules = []Rule{
	{Name: "seal/bars", Says: "After Seal every write by that token is refused with ErrLeaseLost and changes nothing; a later token goes on.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.seal(t.Lease)
		s.refused("after the seal", t)
		s.refused("after the seal, of another step", try(t.Lease, "b"))
		s.is(t.Key(), ledger.Pending)
		s.is(ledger.Key{Job: t.Lease.Job.ID, Step: "b"}, "")
		s.recorded(s.first(), "later")
	}},
	{Name: "seal/bars-lower", Says: "Seal bars every lower token too, and never goes back.", Check: func(s *Scene) {
		one, two := s.first(), s.first()
		s.seal(two.Lease)
		s.refused("below the seal", one)
		s.seal(one.Lease)
		s.refused("after a lower seal", two)
	}},
	{Name: "seal/this-job-only", Says: "A seal bars one job and no other; a job of which nothing is held lists nothing.", Check: func(s *Scene) {
		other := try(s.lease("k"), "a")
		if list := s.seal(s.lease("j")); len(list) != 0 {
			s.Errorf("the list is %v", list)
		}
		s.recorded(other, "1")
	}},
	{Name: "seal/lists", Says: "Seal lists by step what was recorded, what was denied, and everything else as unknown.", Check: func(s *Scene) {
		l := s.lease("j")
		s.intend(try(l, "e-pending"))
		doubted, denied, again := try(l, "d-unknown"), try(l, "b-denied"), try(l, "a-denied-then-tried")
		for _, t := range []ledger.Try{doubted, denied, again} {
			s.intend(t)
		}
		s.must("Doubt", s.store.Doubt(s.ctx, doubted))
		s.must("Answer", s.store.Answer(s.ctx, ann, denied.Key(), false, nil))
		s.must("Answer", s.store.Answer(s.ctx, ann, again.Key(), false, nil))
		s.intend(again)
		s.recorded(try(l, "c-recorded"), "1")
		want := []queue.Effect{{Step: "a-denied-then-tried", State: queue.EffectUnknown}, {Step: "b-denied", State: queue.EffectDenied},
			{Step: "c-recorded", State: queue.EffectRecorded}, {Step: "d-unknown", State: queue.EffectUnknown}, {Step: "e-pending", State: queue.EffectUnknown}}
		for range 2 {
			if list := s.seal(l); !slices.Equal(list, want) {
				s.Errorf("the list is %v, want %v", list, want)
			}
		}
	}},
}

var answerRules = []Rule{
	{Name: "answer/happened", Says: "A person's word that it happened confirms it with that result, and keeps who, why and when.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.must("Doubt", s.store.Doubt(s.ctx, t))
		s.must("Answer", s.store.Answer(s.ctx, ann, t.Key(), true, []byte("told")))
		e := s.intend(s.first())
		if e.State != ledger.Confirmed || string(e.Result) != "told" || e.Answered != ann || !e.AnsweredAt.Equal(s.clock.Now()) {
			s.Errorf("the next try got %+v", e)
		}
	}},
	{Name: "answer/denied", Says: "A person's word that it did not happen lets the next try ask afresh, which is told of it.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t) // pending is enough
		s.must("Answer", s.store.Answer(s.ctx, ann, t.Key(), false, nil))
		s.is(t.Key(), ledger.Denied)
		s.clock.Advance(ledger.KeepFor / 2)
		e := s.intend(s.first())
		if e.State != ledger.Pending || !e.Mine || !e.DeniedBefore() || !e.FirstSentAt.Equal(s.clock.Now()) {
			s.Errorf("the next try got %+v", e)
		}
	}},
	{Name: "answer/once", Says: "The same word again is a success and changes nothing; ErrState where the entry says otherwise, ErrNotFound where there is none.", Check: func(s *Scene) {
		t := s.first()
		s.want("Answer on nothing", s.store.Answer(s.ctx, ann, t.Key(), false, nil), queue.ErrNotFound)
		bob := queue.Actor{Name: "bob", Why: "again"}
		s.intend(t)
		s.must("Answer", s.store.Answer(s.ctx, ann, t.Key(), false, nil))
		s.must("the same again", s.store.Answer(s.ctx, bob, t.Key(), false, nil))
		s.want("the contrary", s.store.Answer(s.ctx, bob, t.Key(), true, []byte("1")), queue.ErrState)
		b := try(t.Lease, "b")
		s.recorded(b, "1")
		s.must("that it happened, as recorded", s.store.Answer(s.ctx, bob, b.Key(), true, []byte("1")))
		s.want("that it happened otherwise", s.store.Answer(s.ctx, bob, b.Key(), true, []byte("2")), queue.ErrState)
		s.want("that it did not happen", s.store.Answer(s.ctx, bob, b.Key(), false, nil), queue.ErrState)
		if e := s.entry(t.Key()); e.State != ledger.Denied || e.Answered != ann {
			s.Errorf("the entry is %+v", e)
		}
	}},
	{Name: "answer/who", Says: "Answer is ErrInvalid without who and why.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.want("Answer", s.store.Answer(s.ctx, queue.Actor{Name: "ann"}, t.Key(), false, nil), queue.ErrInvalid)
		s.is(t.Key(), ledger.Pending)
	}},
}
