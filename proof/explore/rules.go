package explore

import (
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// Of a row's times only this is kept: 0, it has passed; still, it has not.
const still = 1

// acts gives every action on a row, within bounds, in a fixed order.
func acts(r Row, b Bounds) (all []Act) {
	j := r.Job
	if b.Instants > 0 {
		all = b.timely(r)
	}
	if !j.Known {
		return append(all, Act{What: Enqueue}, Act{What: Cancel}, Act{What: Redrive})
	}
	all = append(all, Act{What: Duplicate}, Act{What: Other})
	for n := int64(1); n <= j.Token+1; n++ { // old claims that arrive again, and a new one
		again := j.Lease == name{n, j.Token}.text()
		if again || j.Token < b.Tokens && (n > j.Token || !b.Anew) {
			all = append(all, Act{What: Claim, Claim: n}, Act{What: ClaimAlone, Claim: n})
		}
	}
	for t := int64(1); t <= j.Token; t++ {
		for _, n := range []int64{1, t} {
			if n == 1 && t == 1 && n != t {
				continue
			}
			all = append(all, Act{What: Extend, Claim: n, Token: t})
			for _, end := range b.ends(j) {
				end.What, end.Claim, end.Token = Settle, n, t
				all = append(all, end)
			}
			if t == 1 {
				break
			}
		}
		all = append(all, Act{What: CancelSealed, Token: t, List: 1})
	}
	switch j.State {
	case queue.Running:
		if j.Until == still {
			all = append(all, Act{What: Freeze})
		}
		all = append(all, Act{What: Pass})
	case queue.Queued:
		all = append(all, Act{What: Pass})
		if j.Due == still {
			all = append(all, Act{What: Wait})
		}
	case queue.Dead:
		if j.Counts.Redrives < b.Redrives {
			all = append(all, Act{What: Redrive}, Act{What: Resolve})
		}
	}
	all = append(all, Act{What: Cancel}, Act{What: Discard})
	if j.State != queue.Dead {
		all = append(all, Act{What: Redrive}, Act{What: Resolve})
	}
	if j.State == queue.Dead || b.Prune && j.Prunable() && j.Token < b.Tokens {
		all = append(all, Act{What: Prune})
	}
	return all
}

// ends are the ways in which an attempt may end. A job at its crash cap is not run: it is buried.
func (b Bounds) ends(j history.Job) []Act {
	if j.Counts.Crashes >= b.Crashes {
		return []Act{{End: queue.OutcomeBuried}}
	}
	all := []Act{{End: queue.OutcomeDone}, {End: queue.OutcomeFailed}, {End: queue.OutcomeBuried, Doubt: true, List: 2}}
	if b.Interruptions > 0 {
		all = append(all, Act{End: queue.OutcomeInterrupted})
	}
	if b.Snoozes > 0 {
		all = append(all, Act{End: queue.OutcomeSnoozed}, Act{End: queue.OutcomeSnoozed, Later: true})
	}
	return all
}

// rule gives what the protocol says of an action on a row: the answer, and the row after it.
func rule(r Row, a Act, b Bounds) (history.Answer, Row) {
	var answer history.Answer
	after := r
	if b.Instants > 0 {
		answer, after = timed(r, a, b)
	} else {
		answer, after.Job = ruled(r.Job, a, b)
	}
	after = held(r, after, a, answer)
	switch {
	case !after.Known || after.State != queue.Dead && after.State != queue.Cancelled:
		after.Listed = 0
	case after.State != r.State && a.What != Discard:
		after.Listed = a.List
	}
	return answer, after
}

// held is the row as far as silence goes: a lease is spared once, until its holder is heard.
func held(r, after Row, a Act, answer history.Answer) Row {
	switch {
	case a.What == Freeze && r.Spared:
		after.Until, after.Spared = 0, false
	case a.What == Freeze:
		after.Spared = true
	case after.State != queue.Running, after.Until != still, after.Token != r.Token, a.What == Tick, a.What == Extend && answer == history.OK:
		after.Spared = false
	}
	return after
}

// ruled is the rule as far as it does not depend on the time of day.
func ruled(j history.Job, a Act, b Bounds) (history.Answer, history.Job) {
	lease := a.lease().text()
	switch a.What {
	case Enqueue:
		return "accepted", j.Enqueued(printOne, 0)
	case Duplicate:
		return "duplicate", j
	case Other:
		return "conflict", j
	case Claim, ClaimAlone:
		return claimed(j, a, b)
	case Extend:
		if j.Holds(lease) {
			return history.OK, j.Extended(still)
		}
		return history.LeaseLost, j
	case Settle:
		return settled(j, a, b)
	case Pass:
		j.Until = 0
	case Wait:
		j.Due = 0
	case Freeze: // no holder could have extended its lease: nothing runs out by that the first time
	case Prune:
		if !j.Prunable() {
			return history.NotFound, j
		}
		return history.OK, j.Forgotten()
	default:
		return operated(j, a)
	}
	return history.OK, j
}

func claimed(j history.Job, a Act, b Bounds) (history.Answer, history.Job) {
	if j.Holds(name{a.Claim, j.Token}.text()) {
		return leasedAt(j.Token), j // the same claim again
	}
	if !j.Living() || j.Due == still || j.Until == still || j.Lone != (a.What == ClaimAlone) {
		return Nothing, j
	}
	if b.Lone && a.What == Claim && j.Marks(b.Crashes) {
		return Nothing, j.Marked()
	}
	token := j.Token + 1
	return leasedAt(token), j.Claimed(name{a.Claim, token}.text(), token, still)
}

func settled(j history.Job, a Act, b Bounds) (history.Answer, history.Job) {
	lease := a.lease().text()
	if j.Last.Lease == lease && j.Last.Outcome == a.End {
		return history.OK, j // the same again
	}
	if !j.Holds(lease) {
		return history.LeaseLost, j
	}
	end, count, due := history.End{Lease: lease, State: queue.Queued, Outcome: a.End}, queue.CountNothing, int64(0)
	var n, limit int
	switch a.End {
	case queue.OutcomeDone:
		end.State = queue.Done
	case queue.OutcomeBuried:
		end.State = queue.Dead
	case queue.OutcomeFailed:
		count, n, limit = queue.CountFailure, j.Counts.Failures, b.Failures
	case queue.OutcomeInterrupted:
		count, n, limit = queue.CountInterruption, j.Counts.Interruptions, b.Interruptions
	case queue.OutcomeSnoozed:
		count, n, limit = queue.CountSnooze, j.Counts.Snoozes, b.Snoozes
		if a.Later {
			due = still
		}
	}
	if count != queue.CountNothing && n+1 >= limit { // the n-th of a cap of n
		end.State, due = queue.Dead, 0
	}
	lone := b.Lone && end.State == queue.Queued && j.Counts.Crashes >= b.Crashes-1
	return history.OK, j.Settled(end, count, lone, a.Doubt, due)
}

func operated(j history.Job, a Act) (history.Answer, history.Job) {
	dead := j.State == queue.Dead
	switch {
	case !j.Known:
		return history.NotFound, j
	case a.What == Cancel && j.Living(), a.What == CancelSealed && j.Living() && a.Token == j.Token, a.What == Discard && dead:
		return history.OK, j.Cancelled()
	case a.What == CancelSealed && j.Living():
		return history.LeaseLost, j
	case a.What == Redrive && dead && !j.Doubt, a.What == Resolve && dead && j.Doubt:
		return history.OK, j.Redriven()
	}
	return history.Refused, j
}
