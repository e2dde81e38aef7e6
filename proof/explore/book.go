package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
)

// Book is what a ledger that is a store of its own keeps of the job, as far as it matters: of several entries the
// highest token and freshness do. The instants are 0 where time is not explored.
type Book struct {
	Steps        uint8 // recorded: 1, 2, or 3 for both
	Token, Fresh int64 // the highest among the entries
	Seal, SealAt int64
	Now, Mark    int64 // the ledger's clock and its mark
}

// Bars reports whether an effect is refused to the holder of a token whose job was fresh then.
func (k Book) Bars(token, fresh int64) bool { return token <= k.Seal || k.Mark > 0 && fresh <= k.Mark }

// Old reports whether all of it is as old as the mark.
func (k Book) Old() bool { return k.Mark > 0 && k.Fresh <= k.Mark && k.SealAt <= k.Mark }

func (k Book) empty() bool { return k == Book{Now: k.Now, Mark: k.Mark} }

func (k Book) swept() Book { return Book{Now: k.Now, Mark: k.Mark} }

// ledgers are what is explored as books.
type ledgers struct {
	make   MakeLedger
	bounds Bounds
}

func (l ledgers) create() (driven[Book], error) { return newShelf(l.make, l.bounds) }

func (l ledgers) start() Book {
	if l.bounds.Instants > 0 {
		return Book{Now: 1}
	}
	return Book{}
}

func (l ledgers) plain(k Book) Book { return k }

func (l ledgers) acts(k Book) (all []Act) {
	firstFresh := min(1, k.Now)
	all = append(all, Act{What: Seal}) // of a job that was never claimed
	for token := int64(1); token <= l.bounds.Tokens; token++ {
		all = append(all, Act{What: Seal, Token: token})
		for fresh := firstFresh; fresh <= k.Now; fresh++ {
			for step := uint8(1); step <= 2; step++ {
				all = append(all, Act{What: Effect, Token: token, At: fresh, Step: step})
			}
		}
	}
	if k.Now < l.bounds.Instants {
		all = append(all, Act{What: Tick})
	}
	for to := k.Mark + 1; to <= k.Now; to++ {
		all = append(all, Act{What: MoveMark, At: to})
	}
	all = append(all, Act{What: Sweep}, Act{What: SweepEarly})
	for _, a := range all {
		if k.Old() && !k.empty() && (a.What == Effect || a.What == Seal) {
			a.What, a.Meanwhile = SweepSlow, a.What
			all = append(all, a)
		}
	}
	return all
}

// rule gives what the protocol says of an action on a ledger.
func (l ledgers) rule(k Book, a Act) (history.Answer, Book) {
	switch a.What {
	case Effect:
		return k.effect(a)
	case Seal:
		k.Seal, k.SealAt = max(k.Seal, a.Token), k.Now
		return listing(k.Steps), k
	case Tick:
		k.Now++
		return history.OK, k
	case MoveMark:
		k.Mark = moved(k.Mark, a.At, k.Now, l.bounds.Horizon)
		return history.OK, k
	case SweepEarly:
		return nothingSwept, k
	}
	token, old := max(k.Token, k.Seal), k.Old() && !k.empty()
	if a.What == SweepSlow {
		a.What = a.Meanwhile
		_, k = l.rule(k, a)
	}
	if !old || !k.Old() || max(k.Token, k.Seal) > token {
		return nothingSwept, k
	}
	return allSwept, k.swept()
}

func (k Book) effect(a Act) (history.Answer, Book) {
	barred, known := k.Bars(a.Token, a.At), k.Steps&a.Step != 0
	if !barred {
		k.Token, k.Fresh, k.Steps = max(k.Token, a.Token), max(k.Fresh, a.At), k.Steps|a.Step
	}
	switch {
	case known: // the recorded result is given to everybody, and a repeat that may act keeps it alive
		return recorded, k
	case barred:
		return history.LeaseLost, k
	}
	return made, k
}

// Answers of ledgers.
const (
	made         history.Answer = "made"
	recorded     history.Answer = "made before"
	allSwept     history.Answer = "swept"
	nothingSwept history.Answer = "nothing to sweep"
)

func listing(steps uint8) history.Answer {
	return history.Answer("sealed; the list has" + steptext(steps))
}

func steptext(steps uint8) string {
	return [...]string{" no step", " step 1", " step 2", " steps 1 and 2"}[steps&3]
}

func (l ledgers) breaks(before, after Book, a Act) string {
	switch {
	case a.What == Sweep && after.Steps != before.Steps && before.Fresh > before.Mark:
		return "I10: what is above the mark was deleted"
	case after.Mark > max(0, after.Now-l.bounds.Horizon):
		return "I10: the mark is nearer than effects are kept"
	case after.Seal < before.Seal && !before.Old():
		return "the seal went back"
	}
	return ""
}

func (l ledgers) tell(k Book) string {
	text := "the ledger has" + steptext(k.Steps)
	if k.Steps > 0 {
		text += fmt.Sprintf(" at token %d", k.Token)
	}
	text += fmt.Sprintf(", and is sealed at %d", k.Seal)
	if l.bounds.Instants > 0 {
		text += fmt.Sprintf("; the entries are fresh at %d, the seal is of %d (it is %d, the mark is %d)", k.Fresh, k.SealAt, k.Now, k.Mark)
	}
	return text
}
