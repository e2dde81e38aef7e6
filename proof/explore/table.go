package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// table holds what the engine did, so that the same is not asked of it again.
type table struct {
	life   Life
	bounds Bounds
	source rows
	rows   []history.Job
	number map[history.Job]int
	known  map[edge]landed
	made   int
}

type edge struct {
	row int
	act Act
}

type landed struct {
	row    int
	answer history.Answer
}

func newTable(build Make, l Life) *table {
	none := history.Job{}
	return &table{life: l, bounds: l.bounds(), source: rows{make: build, bounds: l.bounds(), trace: map[history.Job][]Act{none: nil}},
		rows: []history.Job{none}, number: map[history.Job]int{none: 0}, known: map[edge]landed{}}
}

// step lets the engine do it, the first time, and holds that against the protocol. A claim finds its lease run out.
func (t *table) step(row int, a Act) (int, history.Answer, error) {
	if l, ok := t.known[edge{row, a}]; ok {
		return l.row, l.answer, nil
	}
	j := t.rows[row]
	w, err := t.source.reach(j)
	if err != nil {
		return 0, "", err
	}
	defer w.end()
	done := []Act{a}
	before := j
	if (a.What == Claim || a.What == ClaimAlone) && j.State == queue.Running && j.Until == still && a.Claim > j.Token {
		done = []Act{{What: Pass}, a}
		before.Until = 0
		w.do(done[0])
	}
	got := w.do(a)
	t.made++
	answer, want := rule(before, a, t.bounds)
	seen, err := w.reveal(want.Token)
	wrong := differs(answer, got, want, seen, err)
	if wrong == "" && want != before {
		wrong = invariants(before, seen, a)
	}
	if wrong != "" {
		return 0, "", fmt.Errorf("%s", t.source.finding(j, done, wrong))
	}
	if _, ok := t.number[seen]; !ok {
		t.number[seen] = len(t.rows)
		t.rows = append(t.rows, seen)
		t.source.trace[seen] = append(t.source.trace[j][:len(t.source.trace[j]):len(t.source.trace[j])], done...)
	}
	t.known[edge{row, a}] = landed{t.number[seen], got}
	return t.number[seen], got, nil
}
