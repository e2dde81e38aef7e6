package proof

import (
	"bytes"
	"context"
	"runtime"
)

// A call without a context of ours is told by its goroutine: the attempt's own, or one that it started. Else it is
// taken for a call of the attempt at work: only one is at a time.

// adopt remembers the attempt's own goroutine.
func (t *trial) adopt(a *attempt) {
	a.number = self()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owners[a.number] = a
}

// attemptOf tells which attempt makes a call; nil: none does. A goroutine of an attempt that is left when the trial is
// over does not come back.
func (t *trial) attemptOf(ctx context.Context) *attempt {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		return a
	}
	own, parent := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.owners[own]; a != nil {
		return a
	}
	if a := t.owners[parent]; a != nil && parent != "" {
		t.owners[own] = a
		return a
	}
	return t.current.Load()
}

// self gives the number of this goroutine.
func self() string {
	var trace [64]byte
	return ownNumber(trace[:runtime.Stack(trace[:], false)])
}

func ownNumber(trace []byte) string {
	rest, _ := bytes.CutPrefix(trace, []byte("goroutine "))
	number, _, _ := bytes.Cut(rest, []byte(" "))
	return string(number)
}

// goroutine gives the numbers of this goroutine and of the one that started it, as traces show them.
func goroutine() (own, parent string) {
	trace := make([]byte, 16<<10)
	trace = trace[:runtime.Stack(trace, false)]
	own = ownNumber(trace)
	if i := bytes.LastIndex(trace, []byte(" in goroutine ")); i >= 0 {
		number, _, _ := bytes.Cut(trace[i+len(" in goroutine "):], []byte("\n"))
		parent = string(number)
	}
	return own, parent
}
