package history

import (
	"math"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// linearizable asks another checker, which knows the rules and not the search of this package. A job's history is
// checked by itself: no rule here is about two jobs. It gives the operations checked.
func linearizable(t *testing.T, ops []Op) (checked int, ok bool) {
	t.Helper()
	w, jobs := split(ops, Config{Slack: 5 * time.Millisecond})
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{Job{}} },
		Step: func(state, in, _ any) []any {
			next, wrong := w.step(state.(Job), in.(Op))
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
	ok = true
	for id, all := range jobs {
		history := make([]porcupine.Operation, len(all))
		for i, op := range all {
			history[i] = porcupine.Operation{Input: op, Call: op.Start, Return: op.End}
			if op.Answer == Unknown {
				history[i].Return = math.MaxInt64 // whenever it likes, or never
			}
		}
		checked += len(all)
		switch porcupine.CheckOperationsTimeout(model.ToModel(), history, 10*time.Second) {
		case porcupine.Illegal:
			ok = false
		case porcupine.Unknown:
			t.Errorf("job %s: not decided in time, with %d operations", id, len(all))
		}
	}
	return checked, ok
}
