package explore

import (
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

func (w *walk) worker(i int) {
	o, j := w.from.workers[i], w.job()
	to := func(at uint8) { w.add(func(s *life) { s.workers[i].at = at }) }
	outcome := func(out queue.Outcome) {
		w.add(func(s *life) { s.workers[i].out, s.workers[i].at = out, settling })
	}
	switch o.at {
	case idle:
		w.add(func(s *life) { s.workers[i] = one{at: wanting, out: queue.OutcomeDone} })
	case wanting:
		if j.State == queue.Queued || j.State == queue.Running && (w.from.holderDead || int(w.from.faults) < w.life.Faults) {
			w.claims(i)
		}
	case leased:
		to(deciding)
		w.fault(func(s *life) { s.workers[i].at = asking })
	case asking:
		if !w.holds(o) {
			to(idle)
			break
		}
		again := Act{What: Claim, Claim: int64(o.lease)}
		if o.solo {
			again.What = ClaimAlone
		}
		if row, answer := w.engine(again); row != w.from.row || answer != leasedAt(int64(o.lease)) {
			w.fail("a claim asked again got %s", answer)
		}
		to(deciding)
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
		if int(w.from.starts)+1 > w.life.starts()*(1+j.Counts.Redrives) {
			w.fail("I7: handlers were started %d times", w.from.starts+1)
		}
		w.add(func(s *life) { s.starts++; s.workers[i].at = step1 })
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
	case settling:
		w.settles(i)
	case answered:
		to(idle)
		if o.got {
			w.fault(func(s *life) { s.workers[i].at = repeating })
		}
	case repeating:
		w.settlesAgain(i)
	}
}

// claims: a lease that nobody has a claim on is taken, and so is one that ran out though its holder lives: a fault.
func (w *walk) claims(i int) {
	j := w.job()
	a := Act{What: Claim, Claim: j.Token + 1}
	if j.Lone {
		a.What = ClaimAlone
	}
	row, answer := w.engine(a)
	after := w.rows[row]
	if after.Token != j.Token+1 {
		w.fail("a claim for a job that is %s got %s", j.State, answer)
	}
	w.add(func(s *life) {
		s.row = row
		if j.State == queue.Running {
			if !s.holderDead {
				s.faults++
			}
			s.endedAlone = s.holderAlone
		}
		o := one{at: deciding, lease: uint8(after.Token), out: queue.OutcomeDone, solo: j.Lone, bury: after.Counts.Crashes >= w.life.Crashes}
		if w.life.Repeat {
			o.at = leased
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

// effect: the record and the change are one transaction, which the held lease allows.
func (w *walk) effect(i int) {
	o := w.from.workers[i]
	bit := uint8(1)
	if o.at == step2 {
		bit = 2
	}
	held := w.holds(o)
	w.add(func(s *life) {
		me := &s.workers[i]
		switch {
		case !held && s.data&bit == 0:
			me.out, me.at = queue.OutcomeFailed, settling
			return
		case held:
			s.data |= bit
			s.dataToken = max(s.dataToken, o.lease)
		}
		me.at++
	})
}

func (w *walk) settles(i int) {
	o, j := w.from.workers[i], w.job()
	row, answer := w.engine(Act{What: Settle, Claim: int64(o.lease), Token: int64(o.lease), End: o.out})
	took := answer == history.OK
	if took && int64(o.lease) != j.Token {
		w.fail("I8: a settlement at token %d was taken at token %d", o.lease, j.Token)
	}
	after := w.rows[row]
	if took && after.State == queue.Done && w.from.data != 3 {
		w.fail("I3: done, and a step was not made")
	}
	if took && o.out == queue.OutcomeBuried && w.life.Lone && !w.from.endedAlone {
		w.fail("buried, and never tried alone")
	}
	w.add(func(s *life) {
		me := &s.workers[i]
		s.row, me.got, me.at = row, took, idle
		if w.life.Repeat {
			me.at = answered
		}
		if took && after.State == queue.Dead {
			me.list, s.listed = s.data, s.data // I4: what was made is listed in the same write
		}
		if took {
			s.holderDead, s.last = false, o.out
		}
	})
}

// settlesAgain: the same until the next claim; the engine is asked, and must change nothing.
func (w *walk) settlesAgain(i int) {
	o, j := w.from.workers[i], w.job()
	row, answer := w.engine(Act{What: Settle, Claim: int64(o.lease), Token: int64(o.lease), End: o.out})
	if row != w.from.row || answer != history.OK && int64(o.lease) == j.Token {
		w.fail("a settlement repeated was answered %s, and the job is %s", answer, describe(w.rows[row]))
	}
	w.add(func(s *life) { s.workers[i].at = idle })
}
