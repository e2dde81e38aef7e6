package ledgertest

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/twicehq/twice/ledger"
)

// Rule is one row of the suite.
type Rule struct {
	Name  string
	Says  string // the sentence it checks
	Needs []Need
	Check func(*Scene)
}

// T is what a check needs of a test.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Rules gives the whole table, in order.
func Rules() []Rule {
	return slices.Concat(intendRules, confirmRules, doubtRules, withdrawRules, sealRules, answerRules, markRules,
		sweepRules, bytesRules, raceRules, fenceRules, txRules)
}

// Options is what a rule asks of the store it is given: the clock, and effects kept for ledger.KeepFor.
type Options struct{ Clock *Clock }

// Factory makes an empty store.
type Factory func(t *testing.T, opt Options) ledger.Store

// Run holds a store to every rule, each on a store of its own.
func Run(t *testing.T, open Factory) {
	for _, r := range Rules() {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			clock := NewClock()
			store := open(t, Options{Clock: clock})
			if n := r.lacks(store); n != nil {
				t.Skipf("not promised: it needs %s", n.What)
			}
			t.Log(r.Says)
			r.Check(newScene(t, store, clock))
		})
	}
}

func (r Rule) lacks(store ledger.Store) *Need {
	for _, n := range r.Needs {
		if !n.Met(store) {
			return &n
		}
	}
	return nil
}

// Try checks the rule on a store that was given clock.Now as its clock, and gives what fails instead of
// failing a test: so the suite itself is tested, on stores that are broken on purpose. False: the store does
// not promise what the rule needs.
func (r Rule) Try(store ledger.Store, clock *Clock) (bool, []string) {
	if r.lacks(store) != nil {
		return false, nil
	}
	t, ended := &recorder{}, make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("panic: %v", p)
			}
		}()
		r.Check(newScene(t, store, clock))
	}()
	<-ended
	return true, t.said
}

// recorder is a T that keeps what a check says.
type recorder struct{ said []string }

func (t *recorder) Helper() {}
func (t *recorder) Errorf(format string, args ...any) {
	t.said = append(t.said, fmt.Sprintf(format, args...))
}
func (t *recorder) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}
