package history

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/twicehq/twice/queue"
)

// Verdict is what porcupine finds, which knows the rules of this package and not its search.
type Verdict struct {
	Ops       int        // operations on jobs
	Not       []queue.ID // their histories are not linearizable
	Undecided []queue.ID // not in the time given
}

// OK reports whether each job's history was found linearizable.
func (v Verdict) OK() bool { return len(v.Not)+len(v.Undecided) == 0 }

// Linearizable checks each job's history by itself, since no rule is about two jobs: enqueue, claim, extend, settle and
// what people do take effect at one moment between request and answer. One of unknown outcome takes effect at any
// moment after its request, or never. most bounds the time for one job.
func Linearizable(ops []Op, cfg Config, most time.Duration) Verdict {
	w, jobs := split(ops, cfg.complete())
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{Job{}} },
		Step: func(state, in, _ any) []any {
			op := in.(Op)
			next, wrong := w.step(state.(Job), op, answeredAt(op))
			if wrong != nil {
				return nil
			}
			out := make([]any, len(next))
			for i, j := range next {
				out[i] = j
			}
			return out
		},
		Equal: func(a, b any) bool { return a.(Job) == b.(Job) },
	}
	var v Verdict
	for id, all := range jobs {
		v.Ops += len(all)
		all = w.essential(all)
		history := make([]porcupine.Operation, len(all))
		for i, op := range all {
			history[i] = porcupine.Operation{Input: op, Call: op.Start, Return: answeredAt(op)}
		}
		switch porcupine.CheckOperationsTimeout(model.ToModel(), history, most) {
		case porcupine.Illegal:
			v.Not = append(v.Not, id)
		case porcupine.Unknown:
			v.Undecided = append(v.Undecided, id)
		}
	}
	for _, ids := range [][]queue.ID{v.Not, v.Undecided} {
		slices.SortFunc(ids, func(a, b queue.ID) int { return cmp.Compare(a.String(), b.String()) })
	}
	return v
}

// answeredAt is when an operation had been carried out at the latest.
func answeredAt(op Op) int64 {
	if op.Answer == Unknown {
		return math.MaxInt64
	}
	return op.End
}
