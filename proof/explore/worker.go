package explore

import (
	"time"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

func (w *walk) worker(i int) {
	o, j := w.from.workers[i], w.job()
	to := func(at uint8) { w.add("", func(s *life) { s.workers[i].at = at }) }
	outcome := func(out queue.Outcome) {
		w.add("", func(s *life) { s.workers[i].out, s.workers[i].at = out, w.life.end() })
	}
	switch o.at {
	case idle:
		w.add("", func(s *life) { s.workers[i] = one{at: wanting, out: queue.OutcomeDone} })
	case wanting:
		if j.State == queue.Queued && j.Known || j.State == queue.Running && (w.from.holderDead || int(w.from.faults) < w.life.Faults) {
			w.claims(i)
		}
	case leased:
		to(deciding)
		w.fault(w.say("%s's claim is answered, and the answer is lost", who(i)), func(s *life) { s.workers[i].at = asking })
	case asking:
		w.asksAgain(i)
	case deciding:
		if o.bury {
			to(burying)
		} else {
			to(beginning)
		}
	case burying:
		outcome(queue.OutcomeBuried)
	case beginning:
		to(starting)
	case starting:
		if int(w.from.starts)+1 > w.life.starts()*(1+int(w.from.redrives)+int(w.from.accepted)) {
			w.fail("I7: handlers were started %d times", w.from.starts+1)
		}
		w.add(w.say("%s starts the handler", who(i)), func(s *life) { s.starts++; s.workers[i].at = step1 })
	case step1, step2:
		w.effect(i)
		to(failing)
		w.dies(i)
	case returned:
		outcome(queue.OutcomeDone)
		to(failing)
		w.dies(i)
	case failing:
		outcome(queue.OutcomeFailed)
		if w.life.Interruptions > 0 {
			outcome(queue.OutcomeInterrupted)
		}
		if w.life.Snoozes > 0 {
			outcome(queue.OutcomeSnoozed)
		}
	case ending, sealing, noting, sealed:
		w.ends(i)
	case settling:
		w.settles(i)
	case answered:
		to(idle)
		if o.got {
			w.fault(w.say("%s's settlement is answered, and the answer is lost", who(i)), func(s *life) { s.workers[i].at = repeating })
		}
	case repeating:
		w.settlesAgain(i)
	}
}

// end is where an attempt goes from its outcome. In one database what was made is listed in the write that settles.
func (l Life) end() uint8 {
	if l.Apart {
		return ending
	}
	return settling
}

// claims: a lease that nobody has a claim on is taken, and so is one that ran out though its holder lives: a fault.
func (w *walk) claims(i int) {
	j := w.job()
	number := w.from.claims + 1
	a := Act{What: Claim, Claim: int64(number)}
	if j.Lone {
		a.What = ClaimAlone
	}
	row := w.from.row
	if j.State == queue.Running && j.Until == still {
		var err error
		if row, _, err = w.engines.step(row, Act{What: Pass}); err != nil {
			w.fail("%w", err)
		}
	}
	row, answer, err := w.engines.step(row, a)
	if err != nil {
		w.fail("%w", err)
		return
	}
	after := w.engines.all[row]
	if after.Token != j.Token+1 {
		w.fail("a claim for a job that is %s got %s", j.State, answer)
	}
	what := w.say("%s claims the job: token %d", who(i), after.Token)
	if j.State == queue.Running {
		what += ", and the lease before it ran out"
	}
	w.add(what, func(s *life) {
		s.row, s.claims = row, number
		if j.State == queue.Running {
			if !s.holderDead {
				s.faults++
			}
			s.endedAlone = s.holderAlone
		}
		o := one{at: deciding, claim: number, lease: uint8(after.Token), fresh: uint8(after.Fresh), since: uint8(after.Now),
			out: queue.OutcomeDone, solo: j.Lone, bury: after.Counts.Crashes >= w.life.Crashes}
		if w.life.Apart && !w.life.Reread {
			o.counts = counters(after.Counts)
		}
		if w.life.Repeat {
			o.at = leased
		}
		if w.life.Without == FreshAtClaim {
			o.fresh = uint8(j.Fresh)
		}
		s.holderDead = false
		if answer == Nothing { // it is a suspect now
			o.at = idle
		} else {
			o.got = true
			s.holderAlone = j.Lone
		}
		s.workers[i] = o
	})
}

func counters(c queue.Counts) [3]uint8 {
	return [3]uint8{uint8(c.Failures), uint8(c.Interruptions), uint8(c.Snoozes)}
}

func (w *walk) asksAgain(i int) {
	o := w.from.workers[i]
	if !w.holds(o) {
		w.add("", func(s *life) { s.workers[i].at = idle })
		return
	}
	again := Act{What: Claim, Claim: int64(o.claim)}
	if o.solo {
		again.What = ClaimAlone
	}
	if row, answer := w.engine(again); row != w.from.row || answer != leasedAt(int64(o.lease)) {
		w.fail("a claim asked again got %s", answer)
	}
	w.add(w.say("%s claims once more and gets the same lease", who(i)), func(s *life) { s.workers[i].at = deciding })
}

// effect: the record and the change are one transaction. In one database the held lease allows it, else the ledger's
// seal does; the mark in both.
func (w *walk) effect(i int) {
	o, j := w.from.workers[i], w.job()
	n := o.at - step1
	bit := uint8(1) << n
	book, answer := w.from.book, history.LeaseLost
	if w.life.Apart || w.holds(o) {
		fresh := int64(o.fresh)
		if w.life.Without == MarkInEffect {
			fresh = max(fresh, w.book().Mark+1)
		}
		book, answer = w.ledger(Act{What: Effect, Step: bit, Token: int64(o.lease), At: fresh})
	} else if w.book().Steps&bit != 0 {
		answer = recorded
	}
	what := w.say("%s makes step %d", who(i), bit)
	switch {
	case answer == made && w.from.made[n] > w.from.reruns:
		w.fail("I1: %s makes step %d, and it was made %d times before", who(i), bit, w.from.made[n])
	case answer == made && (!j.Known || j.State == queue.Dead || j.State == queue.Cancelled):
		if j.Known {
			w.fail("I4: %s makes step %d, and the job is %s: it is not listed", who(i), bit, j.State)
		}
	case answer == history.LeaseLost && int64(o.lease) == j.Token && j.State == queue.Running && j.Known && int64(o.lease) > w.book().Seal && j.Now < int64(o.since)+w.life.Horizon:
		w.fail("%s is refused step %d, and its job lives and its claim is not old", who(i), bit)
	}
	if answer != made {
		what += ": it is told " + string(answer)
	}
	w.add(what, func(s *life) {
		me := &s.workers[i]
		s.book = book
		switch answer {
		case history.LeaseLost:
			me.out, me.at = queue.OutcomeFailed, w.life.end()
			return
		case made:
			s.made[n]++
		}
		me.at++
	})
}

// ends: with a ledger apart, what ends the job is sealed first, and listed in the transaction that seals.
func (w *walk) ends(i int) {
	o := w.from.workers[i]
	switch o.at {
	case ending:
		at := uint8(noting)
		if w.dying(o) {
			at = sealing
		}
		w.add("", func(s *life) { s.workers[i].at = at })
	case sealing:
		if w.life.Without == SealBeforeDeath || w.life.Without == SealAtLastTry && o.out != queue.OutcomeBuried {
			w.add(w.say("%s lists what was made", who(i)), func(s *life) { s.workers[i].list, s.workers[i].at = w.book().Steps, sealed })
			return
		}
		book, answer := w.ledger(Act{What: Seal, Token: int64(o.lease)})
		w.add(w.say("%s seals token %d: %s", who(i), o.lease, answer), func(s *life) {
			s.book = book
			s.workers[i].list, s.workers[i].at = w.book().Steps, sealed
		})
	case noting:
		w.add("", func(s *life) { s.workers[i].list, s.workers[i].at = w.book().Steps, settling })
	case sealed:
		w.add("", func(s *life) { s.workers[i].at = settling })
		w.dies(i)
	}
}

// dying reports whether the job is dead by this end, by the worker's policy.
func (w *walk) dying(o one) bool {
	counts := o.counts
	if w.life.Reread {
		if counts = counters(w.job().Counts); !w.job().Known {
			counts = w.without[w.from.left].counts
		}
	}
	lease := queue.Lease{Counts: queue.Counts{Failures: int(counts[0]), Interruptions: int(counts[1]), Snoozes: int(counts[2])}}
	s := worker.Decide(lease, worker.Ending{Outcome: o.out}, w.life.bounds().rules(), time.Time{}, 0)
	return s.State == queue.Dead
}

func (w *walk) settlement(o one) Act {
	a := Act{What: Settle, Claim: int64(o.claim), Token: int64(o.lease), End: o.out}
	if w.life.Apart {
		a.List = o.list
	}
	return a
}

func (w *walk) settles(i int) {
	o, j := w.from.workers[i], w.job()
	row, answer := w.engine(w.settlement(o))
	took := answer == history.OK
	after := w.engines.all[row]
	dead := took && after.State == queue.Dead
	list := o.list
	if !w.life.Apart {
		list = w.book().Steps
	}
	switch {
	case took && int64(o.lease) != j.Token:
		w.fail("I8: a settlement at token %d was taken at token %d", o.lease, j.Token)
	case took && after.State == queue.Done && w.book().Steps != 3:
		w.fail("I3: done, and a step was not made")
	case took && o.out == queue.OutcomeBuried && w.life.Lone && !w.from.endedAlone:
		w.fail("buried, and never tried alone")
	case dead && list != w.book().Steps:
		w.fail("I4: %s settles: dead, and its list has%s, though the ledger has%s", who(i), steptext(list), steptext(w.book().Steps))
	}
	what := w.say("%s settles %s: %s", who(i), o.out, answer)
	if took {
		what += ", the job is " + after.State.String()
	}
	w.add(what, func(s *life) {
		me := &s.workers[i]
		s.row, me.got, me.at = row, took, idle
		if w.life.Repeat {
			me.at = answered
		}
		if dead {
			me.list, s.listed = list, list
		}
		if took {
			s.holderDead, s.last = false, o.out
		}
	})
}

// settlesAgain: the same until the next claim; the engine is asked, and must change nothing.
func (w *walk) settlesAgain(i int) {
	o, j := w.from.workers[i], w.job()
	row, answer := w.engine(w.settlement(o))
	if row != w.from.row || answer != history.OK && int64(o.lease) == j.Token {
		w.fail("a settlement repeated was answered %s, and the job is %s", answer, w.engines.tell(w.engines.all[row]))
	}
	w.add(w.say("%s settles once more: %s", who(i), answer), func(s *life) { s.workers[i].at = idle })
}
