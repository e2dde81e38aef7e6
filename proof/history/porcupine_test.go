package history

import (
	"testing"
	"time"
)

// linearizable asks the other checker. It gives the operations checked.
func linearizable(t *testing.T, ops []Op) (checked int, ok bool) {
	t.Helper()
	v := Linearizable(ops, Config{}, 10*time.Second)
	if len(v.Undecided) > 0 {
		t.Errorf("not decided in time: %v", v.Undecided)
	}
	return v.Ops, len(v.Not) == 0
}
