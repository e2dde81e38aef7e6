package explore

import (
	"fmt"

	"github.com/twicehq/twice/queue"
)

// Life bounds what happens around a job, by the names of proof/model/pipeline.pml: two workers, jobs, ledger and data
// in one database (FENCE_A).
type Life struct {
	Name    string
	Defines string // as the model is given them, beside FENCE_A
	States  int    // of the model, as spin counts them: see Spin
	Patch   string // an expression for sed that narrows the model first; empty: none

	Faults, Failures, Crashes, Interruptions, Snoozes, Redrives, Cancels, Discards int
	Repeat, Lone                                                                   bool
}

// Spin is how the model's number is found. State spaces are not reduced, and each statement is a step, so that both
// count the same states.
const Spin = "spin -a -o2 -o3 -DFENCE_A DEFINES pipeline.pml && cc -O1 -w -DSAFETY -DNOREDUCE -DCOLLAPSE -o pan pan.c && ./pan -m200000"

func (l Life) bounds() Bounds {
	return Bounds{Failures: l.Failures, Crashes: l.Crashes, Interruptions: l.Interruptions, Snoozes: l.Snoozes, Redrives: l.Redrives, Lone: l.Lone}
}

// starts bounds how often handlers are started in one budget: I7.
func (l Life) starts() int {
	ways := func(limit int) int { return max(0, limit-1) }
	return ways(l.Failures) + ways(l.Interruptions) + ways(l.Snoozes) + l.Crashes - 1 + 1
}

// Where a worker stands: between any two of these it may be overtaken by everything else.
const (
	idle     = iota
	wanting  // to claim
	leased   // it has a lease; its reply may get lost
	asking   // it claims again
	deciding // whether to run the job
	burying
	beginning
	starting
	step1
	step2
	returned
	failing // how does it go back?
	settling
	answered // the reply may get lost
	repeating
)

// Where the operator stands.
const (
	resting   = iota
	sealed    // it has read the token
	forgets   // what it read
	forgetful // and what it listed
)

// one is a worker process with what it remembers.
type one struct {
	at    uint8
	lease uint8 // claim and token: these are the same number here
	list  uint8 // effects it has listed
	out   queue.Outcome
	got   bool
	bury  bool
	solo  bool
}

// life is a state of the whole: the row as the engine has it, the data beside it, and everybody around.
type life struct {
	row                     int // number of the engine's row
	data, dataToken         uint8
	listed                  uint8         // on the job, when it last ended
	last                    queue.Outcome // of the last settlement; a claim does not clear it in the model
	starts, faults          uint8
	cancels, discards       uint8
	holderDead              bool
	holderAlone, endedAlone bool
	workers                 [2]one
	operator                struct{ at, token, list uint8 }
}

// Counted is what a walk came to.
type Counted struct {
	States      int // of the whole, counted as spin counts those of the model
	Rows        int // of the engine
	Transitions int // of the engine that were part of it, each made on a real one
}

// Count walks through every state around an engine. It fails at a state that breaks an invariant, or where the engine
// does not do what the protocol says, with the engine's trace. It takes about 150 bytes a state.
func Count(build Make, l Life) (Counted, error) {
	t := newTable(build, l)
	first, _, err := t.step(0, Act{What: Enqueue})
	if err != nil {
		return Counted{}, err
	}
	begin := life{row: first, last: queue.OutcomeDone}
	for i := range begin.workers {
		begin.workers[i].out = queue.OutcomeDone
	}
	seen := map[life]struct{}{begin: {}}
	stuck := 0
	for todo := []life{begin}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		w := walk{table: t, from: s}
		w.all()
		if w.err != nil {
			return Counted{}, w.err
		}
		if len(w.next) == 0 {
			stuck++
			if j := t.rows[s.row]; !j.State.Ended() {
				return Counted{}, fmt.Errorf("L1: nothing more can happen, and the job is %s", j.State)
			}
		}
		for _, n := range w.next {
			if _, known := seen[n]; !known {
				seen[n] = struct{}{}
				todo = append(todo, n)
			}
		}
	}
	// Beside these spin counts the state before anybody has started and, for each at which nothing more can happen,
	// three of the process that then looks whether the job has ended.
	return Counted{States: len(seen) + 1 + 3*stuck, Rows: len(t.rows) - 1, Transitions: t.made}, nil
}
