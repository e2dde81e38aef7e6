package explore

import (
	"fmt"
	"strings"

	"github.com/twicehq/twice/queue"
)

// Life bounds what happens around a job, by the names of proof/model/pipeline.pml: two workers, an operator, an
// application's data, and where time is explored a clock, a producer that asks again and a reaper.
type Life struct {
	Name    string
	Defines string // as the model is given them
	States  int    // of the model, as spin counts them: see Spin
	Patch   string // an expression for sed that narrows the model first; empty: none

	Faults, Failures, Crashes, Interruptions, Snoozes, Redrives, Cancels, Discards int
	Repeat, Lone                                                                   bool

	// Apart: the ledger is beside the data and the engine elsewhere (FENCE_B). Else all are in one database (FENCE_A).
	Apart bool
	// Reread: a worker decides by the counters of the job's row as it is then, as the model's do. Ours go by their lease.
	Reread bool

	// Instants is how far time goes (TMAX+1; 0: there is none), Horizon for how many of them effects are remembered.
	Instants, Horizon int64
	// The request comes again once the job was forgotten: with its first origin, or without one; or a second request
	// with a later origin, that was told "duplicate" before.
	Again, AgainUnsaid, AgainNewer bool
	// Rerun: a request that does not say its origin may make each effect once more.
	Rerun bool
	// Marks: the ledger's mark moves after the engine's, and not in the same step, which is how ledger.Reap moves them.
	Marks bool
	// Prune: the engine forgets ids that ended before the mark has come so far.
	Prune bool

	Without Omission
}

// Omission is a step of the protocol that is left out, to see it missed.
type Omission string

// Omissions.
const (
	SealBeforeDeath Omission = "no seal before a job is dead"
	SealAtLastTry   Omission = "a seal only where the job is buried, and not at the last failure"
	SealAtCancel    Omission = "no seal before a job is cancelled"
	TokenAtCancel   Omission = "a cancel does not compare the token that was sealed"
	MarkInEffect    Omission = "an effect does not ask for the mark"
	FreshAtClaim    Omission = "a claim does not make its job fresh"
)

// Spin is how the model's number is found. State spaces are not reduced, and each statement is a step, so that both
// count the same states.
const Spin = "spin -a -o2 -o3 DEFINES pipeline.pml && cc -O1 -w -DSAFETY -DNOREDUCE -DCOLLAPSE -o pan pan.c && ./pan -m200000"

func (l Life) bounds() Bounds {
	return Bounds{Failures: l.Failures, Crashes: l.Crashes, Interruptions: l.Interruptions, Snoozes: l.Snoozes, Redrives: l.Redrives, Lone: l.Lone,
		Instants: l.Instants, Horizon: l.Horizon}
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
	ending  // does the job die by it?
	sealing
	noting // what was made, without a seal
	sealed // and listed
	settling
	answered // the reply may get lost
	repeating
)

// one is a worker process with what it remembers.
type one struct {
	at     uint8
	claim  uint8 // number of its claim
	lease  uint8 // its token
	fresh  uint8 // when the job was last fresh, by its lease
	since  uint8 // when it claimed
	list   uint8 // effects it has listed
	counts [3]uint8
	out    queue.Outcome
	got    bool
	bury   bool
	solo   bool
}

// Where the operator and the reaper stand.
const (
	resting   = iota
	toSeal    // the operator has read the token
	listed    // it has sealed it
	cutting   // it ends the job
	forgets   // what it read
	forgetful // and what it listed

	toSweep // the reaper has made the engine forget the job
	swept
	toSweepLater // it finds that the engine has; the model has other places for that
	sweptLater
)

// life is a state of the whole: the row as the engine has it, what the ledger beside the data has, and everybody around.
type life struct {
	row, book               int32         // numbers of the engine's row and the ledger's
	left                    int32         // what was on the row that the engine forgot; 0: nothing, or there is a row
	made                    [2]uint8      // how often each effect was made
	listed                  uint8         // on the job, when it last ended
	last                    queue.Outcome // of the last settlement; a claim does not clear it in the model
	starts, faults          uint8
	claims                  uint8
	redrives, cancels       uint8
	discards                uint8
	holderDead              bool
	holderAlone, endedAlone bool
	workers                 [2]one
	operator                struct{ at, token, list uint8 }
	reaper                  struct{ at, token uint8 }
	requests, accepted      uint8 // after the first
	reruns, newer           uint8
}

// Counted is what a walk came to.
type Counted struct {
	States      int // of the whole, counted as spin counts those of the model
	Rows        int // of the engine
	Transitions int // of the engine that were part of it, each made on a real one
	Books       int // of the ledger
	Writes      int // transitions of the ledger, each made on a real one
}

// Count walks breadth first through every state around an engine and a ledger. It fails with a shortest trace at a
// state that breaks an invariant, or where a store does not do what the protocol says. It takes about 250 bytes a
// state.
func Count(build Make, beside MakeLedger, l Life) (Counted, error) {
	e := newTable[Row](engines{build, l.bounds()})
	k := newTable[Book](ledgers{beside, l.bounds()})
	first, err := l.first(e)
	if err != nil {
		return Counted{}, err
	}
	w := walk{engines: e, ledgers: k, life: l, leftovers: map[leftover]int32{{}: 0}, without: []leftover{{}}, alike: map[Row]int32{}}
	seen := map[life]struct{}{w.key(first): {}}
	states, from := []life{first}, []int32{-1}
	stuck := 0
	for n := 0; n < len(states); n++ {
		w.from, w.next = states[n], w.next[:0]
		w.all()
		if len(w.next) == 0 && w.err == nil {
			stuck++
			if j := w.job(); j.Living() {
				w.fail("L1: nothing more can happen, and the job is %s", j.State)
			}
		}
		if w.err != nil {
			return Counted{}, w.story(states, from, n)
		}
		for _, next := range w.next {
			key := w.key(next.life)
			if _, known := seen[key]; !known {
				seen[key] = struct{}{}
				states, from = append(states, next.life), append(from, int32(n))
			}
		}
	}
	// Beside these spin counts the state before anybody has started and, for each at which nothing more can happen,
	// three of the process that then looks whether the job has ended.
	return Counted{States: len(seen) + 1 + 3*stuck, Rows: len(e.all) - 1, Transitions: e.made, Books: len(k.all), Writes: k.made}, nil
}

// first is the state in which the job was just enqueued, with its origin.
func (l Life) first(e *table[Row]) (life, error) {
	origin := int64(0)
	if l.Instants > 0 {
		origin = 1
	}
	row, _, err := e.step(0, Act{What: Enqueue, At: origin})
	begin := life{row: row, last: queue.OutcomeDone}
	for i := range begin.workers {
		begin.workers[i].out = queue.OutcomeDone
	}
	return begin, err
}

// story tells how the state was come to in which something is wrong.
func (w *walk) story(states []life, from []int32, n int) error {
	var path []int
	for ; n >= 0; n = int(from[n]) {
		path = append(path, n)
	}
	wrong := w.err
	w.telling = true
	var text strings.Builder
	for i := len(path) - 1; i > 0; i-- {
		w.from, w.next, w.err = states[path[i]], nil, nil
		w.all()
		for _, next := range w.next {
			if w.key(next.life) == w.key(states[path[i-1]]) {
				if next.what != "" {
					fmt.Fprintf(&text, "- %s\n", next.what)
				}
				break
			}
		}
	}
	return fmt.Errorf("%s=> %w", text.String(), wrong)
}
