package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
)

// table holds what a store did, so that the same is not asked of it again.
type table[S comparable] struct {
	*rows[S]
	all    []S
	number map[S]int32
	known  map[edge]landed
	made   int
}

type edge struct {
	row int32
	act Act
}

type landed struct {
	row    int32
	answer history.Answer
}

func newTable[S comparable](sub subject[S]) *table[S] {
	first := sub.start()
	return &table[S]{rows: newRows(sub), all: []S{first}, number: map[S]int32{first: 0}, known: map[edge]landed{}}
}

// step lets the store do it, the first time, and holds that against the protocol.
func (t *table[S]) step(row int32, a Act) (int32, history.Answer, error) {
	if l, ok := t.known[edge{row, a}]; ok {
		return l.row, l.answer, nil
	}
	s := t.all[row]
	seen, wrong, err := t.try(s, a)
	if err != nil {
		return 0, "", err
	}
	t.made++
	if wrong != "" {
		return 0, "", fmt.Errorf("%s", t.finding(s, []Act{a}, wrong))
	}
	if t.found(s, a, seen) {
		t.number[seen] = int32(len(t.all))
		t.all = append(t.all, seen)
	}
	answer, _ := t.rule(s, a)
	t.known[edge{row, a}] = landed{t.number[seen], answer}
	return t.number[seen], answer, nil
}
