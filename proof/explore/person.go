package explore

import (
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// person is the operator: a cancel reads the token first, and holds only at that. With a ledger apart it is sealed
// between the two.
func (w *walk) person() {
	j, o := w.job(), w.from.operator
	living := j.Living()
	switch o.at {
	case resting:
		if living && int(w.from.cancels) < w.life.Cancels {
			w.add(w.say("the operator would cancel, and reads token %d", j.Token), func(s *life) {
				s.cancels++
				s.operator.at, s.operator.token = w.life.cut(), uint8(j.Token)
			})
		}
		if j.State == queue.Dead && int(w.from.redrives) < w.life.Redrives {
			row, _ := w.engine(Act{What: Redrive})
			w.add("the operator redrives", func(s *life) { s.row, s.holderDead = row, false; s.redrives++ })
		}
		if j.State == queue.Dead && int(w.from.discards) < w.life.Discards {
			row, _ := w.engine(Act{What: Discard})
			w.add("the operator discards", func(s *life) { s.row, s.discards = row, s.discards+1 })
		}
	case toSeal:
		if w.life.Without == SealAtCancel {
			w.add("the operator lists what was made", func(s *life) { s.operator.list, s.operator.at = w.book().Steps, listed })
			break
		}
		book, answer := w.ledger(Act{What: Seal, Token: int64(o.token)})
		w.add(w.say("the operator seals token %d: %s", o.token, answer), func(s *life) {
			s.book = book
			s.operator.list, s.operator.at = w.book().Steps, listed
		})
	case listed:
		w.add("the operator's process dies", func(s *life) { s.operator.at = forgets })
		w.add("", func(s *life) { s.operator.at = cutting })
	case cutting:
		w.cancels()
	case forgets:
		w.add("", func(s *life) { s.operator.at, s.operator.token = forgetful, 0 })
	case forgetful:
		w.add("", func(s *life) { s.operator.at, s.operator.list = resting, 0 })
	}
}

// cut is where a cancel begins once it has read the token.
func (l Life) cut() uint8 {
	if l.Apart {
		return toSeal
	}
	return cutting
}

func (w *walk) cancels() {
	j, o := w.job(), w.from.operator
	a := Act{What: CancelSealed, Token: int64(o.token), List: o.list}
	if w.life.Without == TokenAtCancel {
		a.What = Cancel
	}
	row, answer := w.engine(a)
	list := o.list
	if !w.life.Apart {
		list = w.book().Steps
	}
	if answer == history.OK && list != w.book().Steps {
		w.fail("I4: the operator cancels, and its list has%s, though the ledger has%s", steptext(list), steptext(w.book().Steps))
	}
	w.add(w.say("the operator cancels at token %d: %s", o.token, answer), func(s *life) {
		switch {
		case answer == history.OK:
			s.row, s.listed, s.holderDead = row, list, false
			s.operator.at, s.operator.list = forgets, list
		case j.Living():
			s.operator.token = uint8(j.Token) // claimed meanwhile: once more
			s.operator.at = w.life.cut()
		default:
			s.operator.at = forgets
		}
	})
}
