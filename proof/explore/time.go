package explore

import (
	"github.com/twicehq/twice/proof/history"
)

// clock: time passes for engine and ledger alike.
func (w *walk) clock() {
	if now := w.job().Now; now < w.life.Instants {
		row, _ := w.engine(Act{What: Tick})
		book, _ := w.ledger(Act{What: Tick})
		w.add(w.say("it is %d", now+1), func(s *life) { s.row, s.book = row, book })
	}
}

// marks: the mark moves for other jobs of the queue, too. It is kept with the engine and beside the ledger.
func (w *walk) marks() {
	j, k := w.job(), w.book()
	if j.Mark+w.life.Horizon < j.Now {
		move := Act{What: MoveMark, At: j.Mark + 1}
		row, _ := w.engine(move)
		book, what := w.from.book, move.String()
		if w.life.Marks {
			what = "the engine: " + what
		} else {
			book, _ = w.ledger(move)
		}
		w.add(what, func(s *life) { s.row, s.book = row, book })
	}
	if w.life.Marks && k.Mark < j.Mark {
		move := Act{What: MoveMark, At: k.Mark + 1}
		book, _ := w.ledger(move)
		w.add(w.say("the ledger: %s", move), func(s *life) { s.book = book })
	}
}

// producer asks again: the job may run once more only where its effects are remembered, or it says that it is new.
func (w *walk) producer() {
	j, n := w.job(), w.from.requests
	if w.life.Again && n < 2 && !j.Known {
		w.requests(Act{What: Enqueue, At: 1}, 0)
	}
	if w.life.AgainUnsaid && n < 1 && !j.Known {
		rerun := uint8(0)
		if w.life.Rerun {
			rerun = 1
		}
		w.requests(Act{What: Enqueue}, rerun)
	}
	if w.life.AgainNewer && n == 0 && j.Known {
		row, answer := w.engine(Act{What: Duplicate, At: j.Now})
		w.add(w.say("a second request with origin %d: %s", j.Now, answer), func(s *life) { s.row, s.requests, s.newer = row, 1, uint8(j.Now) })
	}
	if w.life.AgainNewer && n == 1 && !j.Known && w.from.newer > 0 {
		w.requests(Act{What: Enqueue, At: int64(w.from.newer)}, 0)
	}
}

func (w *walk) requests(a Act, rerun uint8) {
	row, answer := w.engine(a)
	w.add(w.say("the request comes again%s: %s", a.origin(), answer), func(s *life) {
		s.requests++
		s.reruns += rerun
		if answer == "accepted" {
			s.row, s.left, s.holderDead = row, 0, false
			s.accepted++
		}
	})
}

// reaper: with two stores the engine's row goes first, and then what the ledger holds, by its own freshness; anything
// may happen between.
func (w *walk) reaper() {
	j, k := w.job(), w.book()
	switch w.from.reaper.at {
	case resting:
		w.marks()
		if j.Prunable() && j.Fresh <= j.Mark {
			w.forgets(Act{What: Reap})
		}
		if w.life.Prune && j.Prunable() && j.Now > j.Fresh {
			w.forgets(Act{What: Prune})
		}
		if w.life.Prune && !j.Known && (k.Steps != 0 || k.Seal != 0) && k.Old() {
			w.add("the reaper sees that the engine has forgotten the job", func(s *life) {
				s.reaper.at, s.reaper.token = toSweepLater, uint8(max(k.Token, k.Seal))
			})
		}
	case toSweep, toSweepLater:
		book, answer := w.ledger(Act{What: Sweep})
		w.add(w.say("the reaper sweeps the ledger: %s", answer), func(s *life) { s.book, s.reaper.at = book, s.reaper.at+1 })
	case swept, sweptLater:
		w.add("", func(s *life) { s.reaper.at, s.reaper.token = resting, 0 })
	}
}

// forgets: the engine's row goes. In one database what the ledger holds goes with it, if it is reaped.
func (w *walk) forgets(a Act) {
	j := w.job()
	row, answer := w.engine(a)
	if answer != history.OK {
		w.fail("the engine does not forget a job that is %s", j.State)
	}
	book := w.from.book
	if a.What == Reap && !w.life.Apart {
		book, _ = w.ledger(Act{What: Sweep})
	}
	left := w.leave(leftover{counters(j.Counts), j.Counts.Crashes, j.Fresh, j.Last.Lease})
	w.add("the engine forgets the job", func(s *life) {
		s.row, s.book, s.left, s.holderDead = row, book, left, false
		if a.What == Reap && w.life.Apart {
			s.reaper.at, s.reaper.token = toSweep, uint8(j.Token)
		}
	})
}

// leave numbers what was on a row.
func (w *walk) leave(l leftover) int32 {
	n, ok := w.leftovers[l]
	if !ok {
		n = int32(len(w.without))
		w.leftovers[l], w.without = n, append(w.without, l)
	}
	return n
}
