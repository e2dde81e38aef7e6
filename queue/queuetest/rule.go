package queuetest

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/twicehq/twice/queue"
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
	Name() string
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Result is what came of a rule.
type Result string

const (
	Holds       Result = "holds"
	Broken      Result = "broken"
	NotPromised Result = "not promised"  // the engine lacks an ability or trait that the rule needs
	Elsewhere   Result = "in the driver" // the driver's own tests show it: the suite cannot look inside
)

// Rules gives the whole table, in order.
func Rules() []Rule {
	return slices.Concat(enqueueRules, identityRules, bytesRules, claimRules, waitRules, leaseRules, settleRules, nextRules,
		recordRules, crashRules, loneRules, operateRules, pauseRules, inspectRules, pruneRules, markRules, attendRules,
		scheduleRules, auditRules, transactRules, lifeRules, caseRules, randomRules)
}

// lacks gives the first thing that the rule needs and the engine has not.
func (r Rule) lacks(e queue.Engine) *Need {
	for _, n := range r.Needs {
		if !n.Met(e) {
			return &n
		}
	}
	return nil
}

// Try checks the rule on an engine that was given clock.Now as its clock, and records what fails instead
// of failing a test: so the suite itself is tested, on engines that are broken on purpose.
func (r Rule) Try(e queue.Engine, clock *Clock) (Result, []string) {
	if n := r.lacks(e); n != nil {
		return n.Else, []string{n.What}
	}
	t := &recorder{name: r.Name}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("panic: %v", p)
			}
		}()
		r.Check(newScene(t, e, clock))
	}()
	<-ended
	if len(t.said) > 0 {
		return Broken, t.said
	}
	return Holds, nil
}

// recorder is a T that keeps what a check says.
type recorder struct {
	name string
	mu   sync.Mutex
	said []string
}

func (t *recorder) Name() string        { return t.name }
func (t *recorder) Helper()             {}
func (t *recorder) Logf(string, ...any) {}
func (t *recorder) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, fmt.Sprintf(format, args...))
}
func (t *recorder) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}
