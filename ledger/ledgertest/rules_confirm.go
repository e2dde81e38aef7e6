package ledgertest

import (
	"context"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

var confirmRules = []Rule{
	{Name: "confirm/stands", Says: "The first result stands: the same again is a success, another is ErrState.", Check: func(s *Scene) {
		t := s.first()
		s.recorded(t, "one")
		s.confirm(t, "one")
		s.want("Confirm with another result", s.store.Confirm(s.ctx, t, []byte("two")), queue.ErrState)
		if e := s.entry(t.Key()); e.State != ledger.Confirmed || string(e.Result) != "one" {
			s.Errorf("what stands is %+v", e)
		}
	}},
	{Name: "confirm/nothing-intended", Says: "Confirm is ErrState where nothing was intended.", Check: func(s *Scene) {
		t := s.first()
		s.want("Confirm", s.store.Confirm(s.ctx, t, []byte("one")), queue.ErrState)
		s.is(t.Key(), "")
	}},
	{Name: "confirm/overrules", Says: "What was made is recorded also where it was in doubt, or denied by a person.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		s.must("Doubt", s.store.Doubt(s.ctx, t))
		s.confirm(t, "one")
		s.is(t.Key(), ledger.Confirmed)
		b := try(t.Lease, "b")
		s.intend(b)
		s.must("Answer", s.store.Answer(s.ctx, ann, b.Key(), false, nil))
		s.confirm(b, "two")
		s.is(b.Key(), ledger.Confirmed)
	}},
	{Name: "context/ended", Says: "A call whose context has ended fails and changes nothing.", Check: func(s *Scene) {
		t := s.first()
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		_, err := s.store.Intend(ctx, t)
		s.want("Intend", err, context.Canceled)
		s.is(t.Key(), "")
		s.intend(t)
		s.want("Confirm", s.store.Confirm(ctx, t, []byte("x")), context.Canceled)
		s.is(t.Key(), ledger.Pending)
	}},
}

var doubtRules = []Rule{
	{Name: "doubt/unknown", Says: "Doubt makes a pending entry unknown, and one that is unknown stays so; a later try gets it as that.", Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		for range 2 {
			s.must("Doubt", s.store.Doubt(s.ctx, t))
			s.is(t.Key(), ledger.Unknown)
		}
		if e := s.intend(s.first()); e.State != ledger.Unknown || e.Mine {
			s.Errorf("a later try got %+v", e)
		}
	}},
	{Name: "doubt/state", Says: "Doubt is ErrState where the entry is confirmed or denied, or where there is none.", Check: func(s *Scene) {
		t := s.first()
		s.want("Doubt of nothing", s.store.Doubt(s.ctx, t), queue.ErrState)
		s.is(t.Key(), "")
		s.recorded(t, "one")
		s.want("Doubt of what is confirmed", s.store.Doubt(s.ctx, t), queue.ErrState)
		s.is(t.Key(), ledger.Confirmed)
		b := try(t.Lease, "b")
		s.intend(b)
		s.must("Answer", s.store.Answer(s.ctx, ann, b.Key(), false, nil))
		s.want("Doubt of what is denied", s.store.Doubt(s.ctx, b), queue.ErrState)
		s.is(b.Key(), ledger.Denied)
	}},
}
