package campaign

import (
	"fmt"
	"slices"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Breach is a rule that a campaign found broken, how often, and the first few cases.
type Breach struct {
	Rule     string   `json:"rule"`
	N        int      `json:"n"`
	Examples []string `json:"examples,omitempty"`
}

// The rules of the checker.
const (
	RuleLost         = "lost: an accepted job is not known"
	RuleNotEnded     = "not drained: an accepted job has not ended"
	RuleBuried       = "buried: a job gave up, though nothing was wrong with it"
	RuleUnexpected   = "unexpected: something was made for a job that nobody enqueued"
	RuleTwice        = "effect twice"
	RuleHalf         = "done without all its effects"
	RuleUnlisted     = "dead with an effect that is not listed"
	RuleRecord       = "the ledger's result is not the remote's"
	RuleEndedTwice   = "two attempts were told that the job is done by them"
	RuleLeaseTwice   = "an attempt began twice, or beyond the record's token"
	RuleCompany      = "a suspect's process ran another job"
	RuleBooks        = "the books do not add up"
	RuleReceipt      = "a receipt contradicts what was enqueued"
	RuleNoRedelivery = "no job was started twice: nothing was shown"
	RuleStrikes      = "fewer strikes than planned"
	RulePoison       = "poison was not buried exactly at its cap"
	RuleRedriven     = "a job that gave up was not redriven exactly once"
	RuleFlat         = "not flat: a worker at rest kept memory, goroutines or files"
)

// examples is how many cases of a breach are kept.
const examples = 5

// verdict gathers breaches by rule.
type verdict map[string]*Breach

func (v verdict) broken(rule, format string, args ...any) {
	b := v[rule]
	if b == nil {
		b = &Breach{Rule: rule}
		v[rule] = b
	}
	if b.N++; len(b.Examples) < examples {
		b.Examples = append(b.Examples, fmt.Sprintf(format, args...))
	}
}

// check judges a campaign. It is pure.
func (e *evidence) check() []Breach {
	v := verdict{}
	for id, n := range e.accepted {
		e.checkJob(v, id, n)
	}
	for what, made := range map[string]map[queue.ID]int{"row": e.rows, "charge": e.charges, "mail": e.mails} {
		for id, n := range made {
			if _, ok := e.accepted[id]; !ok {
				v.broken(RuleUnexpected, "%s of job %s", what, id)
			}
			if n > 1 {
				v.broken(RuleTwice, "%s of job %s: %d", what, id, n)
			}
		}
	}
	for id, s := range e.told {
		if _, ok := e.accepted[id]; !ok {
			v.broken(RuleUnexpected, "run of job %s", id)
		}
		e.checkStory(v, id, s)
	}
	e.checkBooks(v)
	for _, w := range e.wrong {
		v.broken(RuleReceipt, "%s", w)
	}
	if e.company > 0 {
		v.broken(RuleCompany, "%d times", e.company)
	}
	if e.attack.made < e.attack.planned {
		v.broken(RuleStrikes, "%d of %d", e.attack.made, e.attack.planned)
	}
	if e.redriven.planned != e.redriven.made {
		v.broken(RuleRedriven, "%d of %d", e.redriven.made, e.redriven.planned)
	}
	for _, text := range e.kept {
		v.broken(RuleFlat, "%s", text)
	}
	if e.attack.planned > 0 && e.startedTwice() == 0 {
		v.broken(RuleNoRedelivery, "%d strikes, %d jobs", e.attack.made, len(e.accepted))
	}
	all := make([]Breach, 0, len(v))
	for _, b := range v {
		all = append(all, *b)
	}
	slices.SortFunc(all, func(a, b Breach) int { return b.N - a.N })
	return all
}

func (e *evidence) checkJob(v verdict, id queue.ID, n int) {
	j, ok := e.jobs[id]
	if do, ok := e.poison[id]; ok && !j.unknown {
		e.checkPoison(v, id, do, j.record)
		return
	}
	switch shape := shapeOf(n); {
	case !ok || j.unknown:
		v.broken(RuleLost, "job %d (%s)", n, id)
	case j.record.State == queue.Done:
		if e.rows[id] == 0 || e.charges[id] == 0 || shape.mails && e.mails[id] == 0 {
			v.broken(RuleHalf, "job %d (%s): %d rows, %d charges, %d mails", n, id, e.rows[id], e.charges[id], e.mails[id])
		}
		if made := e.amounts[ledger.Key{Job: id, Step: stepCharge}.String()]; made == 0 || j.recorded() != made {
			v.broken(RuleRecord, "job %d (%s): recorded %d, made %d", n, id, j.recorded(), made)
		}
	case j.record.State == queue.Dead:
		if !e.struckDead(id, j.record) {
			v.broken(RuleBuried, "job %d (%s): %s, %+v: %.200s; %+v", n, id, j.record.Reason, j.record.Counts, j.record.Error, j.record.Attempts)
		}
		for step, made := range map[string]int{stepRow: e.rows[id], stepCharge: e.charges[id], stepMail: e.mails[id]} {
			if made > 0 && !slices.ContainsFunc(j.record.Effects, func(l queue.Effect) bool { return l.Step == step }) {
				v.broken(RuleUnlisted, "job %d (%s): %s", n, id, step)
			}
		}
	default:
		v.broken(RuleNotEnded, "job %d (%s) is %s", n, id, j.record.State)
	}
}

// checkPoison judges a job that ends by a cap. It acts on nothing, and is started no more often than that cap says, but
// for crashes of others that it was beside.
func (e *evidence) checkPoison(v verdict, id queue.ID, do Do, r queue.Record) {
	reason, starts := do.dies(), 0
	if s := e.told[id]; s != nil {
		starts = len(s.begun)
	}
	exact, most := r.Counts.Crashes == e.caps.crashes, e.caps.crashes
	if reason == queue.ReasonFailures {
		exact, most = r.Counts.Failures == e.caps.failures, e.caps.failures+r.Counts.Crashes
	}
	most += r.Counts.Interruptions
	if r.State != queue.Dead || r.Reason != reason || !exact || starts == 0 || starts > most {
		v.broken(RulePoison, "job %s, which does %q: %s, %q, %+v, started %d times", id, do, r.State, r.Reason, r.Counts, starts)
	}
}

func (e *evidence) checkStory(v verdict, id queue.ID, s *story) {
	if len(s.done) > 1 {
		v.broken(RuleEndedTwice, "job %s: %d attempts", id, len(s.done))
	}
	if !e.fenced {
		return
	}
	for token, times := range s.begun {
		if j := e.jobs[id]; times > 1 || j.record.Whole && token > j.record.Token {
			v.broken(RuleLeaseTwice, "job %s: attempt %d began %d times, the record's token is %d", id, token, times, j.record.Token)
		}
	}
}

func (e *evidence) checkBooks(v verdict) {
	var done, dead int64
	for _, j := range e.jobs {
		switch j.record.State {
		case queue.Done:
			done++
		case queue.Dead:
			dead++
		}
	}
	counted := false
	for _, b := range e.books {
		if b.Missing() != 0 {
			v.broken(RuleBooks, "%s: %d missing of %+v", b.Queue, b.Missing(), b)
		}
		if b.Queue != Queue {
			continue
		}
		counted = true
		if int(b.Accepted) != len(e.accepted) || b.Found.Done != done || b.Found.Dead != dead {
			v.broken(RuleBooks, "scan: %+v; the producer had %d accepted, %d are done and %d dead", b, len(e.accepted), done, dead)
		}
		if d := e.depth; d.Accepted != b.Accepted || d.Done != b.Found.Done || d.Dead != b.Found.Dead || d.Queued != b.Found.Queued || d.Running != b.Found.Running {
			v.broken(RuleBooks, "counts: %+v; scan: %+v", d, b)
		}
	}
	if !counted {
		v.broken(RuleBooks, "there are none")
	}
}

func (e *evidence) startedTwice() int {
	n := 0
	for _, s := range e.told {
		if len(s.begun) > 1 {
			n++
		}
	}
	return n
}

// struckDead reports whether a job is dead because the attack itself struck as often as its cap: each of
// its crashes was in a process that was struck. A suspect's own process lives on when its parent is struck, so
// one that began there must not have crashed.
func (e *evidence) struckDead(id queue.ID, r queue.Record) bool {
	if r.Reason != queue.ReasonCrashes || r.Counts.Failures > 0 || r.AttemptsDropped > 0 {
		return false
	}
	for _, a := range r.Attempts {
		s := e.told[id]
		if a.Outcome == queue.OutcomeCrashed && (!e.struck[a.Worker] || a.Alone && s != nil && s.begun[a.N] > 0) {
			return false
		}
	}
	return true
}
