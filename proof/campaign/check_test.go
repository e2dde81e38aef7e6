package campaign

import (
	"testing"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// whole is a world in which nothing is wrong: a job that was started twice, and one in doubt no more.
func whole() (*evidence, queue.ID) {
	e := &evidence{accepted: map[queue.ID]int{}, jobs: map[queue.ID]judged{}, told: map[queue.ID]*story{}, rows: map[queue.ID]int{},
		charges: map[queue.ID]int{}, mails: map[queue.ID]int{}, amounts: map[string]int{}, fenced: true}
	e.attack.planned, e.attack.made = 1, 1
	var first queue.ID
	for _, n := range []int{3, 5} {
		id := queue.NewID(KindName, string(rune('a'+n)))
		e.accepted[id] = n
		e.rows[id], e.charges[id] = 1, 1
		e.amounts[ledger.Key{Job: id, Step: stepCharge}.String()] = n
		e.jobs[id] = judged{record: queue.Record{State: queue.Done, Whole: true, Token: 2},
			charge: ledger.Entry{State: ledger.Confirmed, Result: []byte(`{"n":` + string(rune('0'+n)) + `}`)}}
		e.told[id] = &story{begun: map[int64]int{1: 1, 2: 1}, done: map[int64]bool{2: true}}
		if shapeOf(n).mails {
			e.mails[id], first = 1, id
		}
	}
	tally := queue.Tally{Done: 2}
	e.books = []queue.Books{{Queue: Queue, Accepted: 2, Found: tally}}
	e.depth = queue.Depth{Queue: Queue, Accepted: 2, Done: 2}
	return e, first
}

func TestCheckerFindsNothingInAWholeWorld(t *testing.T) {
	if e, _ := whole(); len(e.check()) > 0 {
		t.Errorf("%+v", e.check())
	}
}

// Three kills end a job whose cap is three; a crash that nobody struck does not excuse its end.
func TestCheckerKnowsWhatTheAttackStruck(t *testing.T) {
	e, id := whole()
	e.struck = map[string]bool{"w1.1": true, "w2.1": true}
	record := queue.Record{State: queue.Dead, Reason: queue.ReasonCrashes, Attempts: []queue.Attempt{
		{N: 1, Worker: "w1.1", Outcome: queue.OutcomeCrashed}, {N: 2, Worker: "w2.1", Outcome: queue.OutcomeCrashed, Alone: true}}}
	if e.told[id].begun = map[int64]int{1: 1}; !e.struckDead(id, record) {
		t.Error("struck as often as its cap, and the attack is not blamed")
	}
	if e.told[id].begun[2] = 1; e.struckDead(id, record) {
		t.Error("it had begun in a process of its own, and the attack is blamed")
	}
	delete(e.told[id].begun, 2)
	if delete(e.struck, "w1.1"); e.struckDead(id, record) {
		t.Error("one of its crashes was in a process that was not struck, and the attack is blamed")
	}
}

// Each rule is broken by what it is for, and found.
func TestCheckerFindsEachBreach(t *testing.T) {
	stranger := queue.NewID(KindName, "stranger")
	for _, test := range []struct {
		rule  string
		spoil func(*evidence, queue.ID)
	}{
		{RuleLost, func(e *evidence, id queue.ID) { e.jobs[id] = judged{unknown: true} }},
		{RuleLost, func(e *evidence, id queue.ID) { delete(e.jobs, id) }},
		{RuleNotEnded, func(e *evidence, id queue.ID) { e.jobs[id] = judged{record: queue.Record{State: queue.Running}} }},
		{RuleBuried, func(e *evidence, id queue.ID) { e.jobs[id] = judged{record: queue.Record{State: queue.Dead}} }},
		{RuleUnlisted, func(e *evidence, id queue.ID) { e.jobs[id] = judged{record: queue.Record{State: queue.Dead}} }},
		{RuleUnexpected, func(e *evidence, _ queue.ID) { e.rows[stranger] = 1 }},
		{RuleUnexpected, func(e *evidence, _ queue.ID) { e.charges[stranger] = 1 }},
		{RuleUnexpected, func(e *evidence, _ queue.ID) { e.mails[stranger] = 1 }},
		{RuleUnexpected, func(e *evidence, _ queue.ID) { e.told[stranger] = &story{} }},
		{RuleTwice, func(e *evidence, id queue.ID) { e.rows[id]++ }},
		{RuleTwice, func(e *evidence, id queue.ID) { e.charges[id]++ }},
		{RuleTwice, func(e *evidence, id queue.ID) { e.mails[id]++ }},
		{RuleHalf, func(e *evidence, id queue.ID) { delete(e.rows, id) }},
		{RuleHalf, func(e *evidence, id queue.ID) { delete(e.charges, id) }},
		{RuleHalf, func(e *evidence, id queue.ID) { delete(e.mails, id) }},
		{RuleRecord, func(e *evidence, id queue.ID) { e.amounts[ledger.Key{Job: id, Step: stepCharge}.String()]++ }},
		{RuleEndedTwice, func(e *evidence, id queue.ID) { e.told[id].done[1] = true }},
		{RuleLeaseTwice, func(e *evidence, id queue.ID) { e.told[id].begun[1]++ }},
		{RuleLeaseTwice, func(e *evidence, id queue.ID) { e.told[id].begun[3]++ }},
		{RuleCompany, func(e *evidence, _ queue.ID) { e.company = 1 }},
		{RuleBooks, func(e *evidence, _ queue.ID) { e.books[0].Found.Done-- }},
		{RuleBooks, func(e *evidence, _ queue.ID) { e.books[0].Accepted, e.books[0].Pruned = 3, 1 }},
		{RuleBooks, func(e *evidence, _ queue.ID) { e.books = nil }},
		{RuleBooks, func(e *evidence, _ queue.ID) { e.depth.Done-- }},
		{RuleReceipt, func(e *evidence, _ queue.ID) { e.wrong = []string{"job 1 is a conflict"} }},
		{RuleNoRedelivery, func(e *evidence, _ queue.ID) { e.told = nil }},
		{RuleStrikes, func(e *evidence, _ queue.ID) { e.attack.made = 0 }},
	} {
		e, id := whole()
		test.spoil(e, id)
		if (Report{Breaches: e.check()}).Broken(test.rule) == 0 {
			t.Errorf("not found: %s; found %+v", test.rule, e.check())
		}
	}
}
