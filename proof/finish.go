package proof

import (
	"context"
	"encoding/json"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// finish lets everything run on that stands, and delivers the job until it has ended as the reference did.
func (t *trial) finish() {
	for t.advanceAll() {
	}
	for range maxAttempts {
		r := t.record()
		switch {
		case r.State == queue.Done, t.reaped:
			return
		case r.State.Ended() && r.State != queue.Dead:
			t.fail("", "the job was %s: %s", r.State, r.Reason)
		case r.State == queue.Dead && r.Reason == queue.ReasonDoubt:
			t.resolve()
		case r.State == queue.Dead && t.meant(r):
			return
		case r.State == queue.Dead:
			if t.like.State == 0 {
				t.fail("", "the clean run ended dead (%s): %s", r.Reason, r.Error)
			}
			t.byPerson++
			t.say("", "a person sees that the job is dead (%s), and redrives it", r.Reason)
			t.sendBack()
		default:
			if t.deliver() {
				t.toEnd(t.attempts[len(t.attempts)-1])
			}
		}
	}
	t.fail("", "the job does not end: it is %s", t.record().State)
}

// meant tells whether the job died as it is to: the reference died for the same reason, or is this very run and its handler buried it.
func (t *trial) meant(r queue.Record) bool {
	if t.like.State == 0 {
		return r.Reason == queue.ReasonBuried
	}
	return t.like.State == queue.Dead && r.Reason == t.like.Reason
}

// advanceAll lets every attempt that stands run to its end; true: one of them waited for another, which has ended since.
func (t *trial) advanceAll() (again bool) {
	waiting, moved := (*attempt)(nil), false
	for _, a := range t.attempts {
		if a.over || a.crashed {
			continue
		}
		if t.thawing(a) {
			t.say(a.name, "goes on")
		}
		if a.advance(0) == stuck {
			waiting = a
			continue
		}
		moved = true
		t.settle(a)
	}
	if waiting != nil && !moved {
		t.stuck(waiting)
	}
	return waiting != nil
}

func (t *trial) toEnd(a *attempt) {
	if a.advance(0) == stuck {
		t.stuck(a)
	}
	t.settle(a)
}

// resolve answers what is parked in doubt, with the truth.
func (t *trial) resolve() {
	ctx := context.Background()
	entries, err := t.store.Entries(ctx, t.job.ID)
	t.must("read the ledger", err)
	t.byPerson++
	answered := false
	for _, e := range entries {
		if e.State != ledger.Unknown {
			continue
		}
		if t.p.truth == nil {
			t.fail("Give the effect a Confirm or a KeyLife, if its remote can be asked or honours keys. If it can neither, a person must look (promise 5): say in Case.Truth what that person would find.",
				"the job is parked: nobody can tell whether its step %q happened", e.Key.Step)
		}
		happened, result := t.p.truth(t.world, e.Key.Step)
		var text []byte
		if happened {
			text, err = json.Marshal(result)
			t.must("write the result of step "+e.Key.Step, err)
		}
		t.say("", "a person looks: step %q %s", e.Key.Step, map[bool]string{true: "happened", false: "did not happen"}[happened])
		_, err = ledger.Resolve(ctx, t.engine, t.store, person, e.Key, happened, text)
		t.must("resolve", err)
		answered = true
	}
	if !answered { // a slow attempt has recorded it after all
		_, err = ledger.Resolve(ctx, t.engine, t.store, person, ledger.Key{Job: t.job.ID}, false, nil)
		t.must("resolve", err)
	}
}
