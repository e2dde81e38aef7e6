package explore_test

import (
	"flag"
	"testing"

	"github.com/twicehq/twice/proof/explore"
)

// lives are walked by every run, each with the number of states that spin counts of the model: see explore.Spin.
// TestEvidence -record asks it again.
var lives = append(append([]explore.Life{
	{Name: "a life", Defines: "-DFENCE_A -DMAXF=1 -DCANCEL -DREDRIVE -DDISCARD", States: 239279,
		Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Cancels: 1, Discards: 1},
	{Name: "lost replies, two faults", Defines: "-DFENCE_A -DMAXF=2 -DCANCEL -DREPEAT", States: 209090,
		Faults: 2, Failures: 2, Crashes: 2, Cancels: 1, Repeat: true},
	{Name: "lost replies, redriven", Defines: "-DFENCE_A -DMAXF=1 -DREDRIVE -DREPEAT", States: 50720,
		Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Repeat: true},
	{Name: "all counters", Defines: "-DFENCE_A -DMAXF=1 -DICAP=2 -DSCAP=2", States: 125674,
		Faults: 1, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2},
	{Name: "three counters, redriven", Defines: "-DFENCE_A -DFCAP=1 -DMAXF=0 -DICAP=2 -DSCAP=2 -DREDRIVE", States: 49838,
		Failures: 1, Crashes: 2, Interruptions: 2, Snoozes: 2, Redrives: 1},
	{Name: "suspects run alone", Defines: "-DFENCE_A -DFCAP=1 -DDISCARD -DLONE -DCCAP=3 -DMAXF=3 -DMAXRED=0", States: 10135,
		Patch: suspectsAlone, Faults: 3, Failures: 1, Crashes: 3, Discards: 1, Lone: true},
}, apart...), timed...)

// longer lives are walked when asked for, or when evidence is recorded: minutes, and up to 1 GB.
var longer = append(append([]explore.Life{
	{Name: "three counters, a fault, redriven", Defines: "-DFENCE_A -DFCAP=1 -DMAXF=1 -DICAP=2 -DSCAP=2 -DREDRIVE", States: 653526,
		Faults: 1, Failures: 1, Crashes: 2, Interruptions: 2, Snoozes: 2, Redrives: 1},
	{Name: "all counters, cancelled", Defines: "-DFENCE_A -DMAXF=1 -DICAP=2 -DSCAP=2 -DCANCEL", States: 1448229,
		Faults: 1, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2, Cancels: 1},
}, longerApart...), longerTimed...)

var long = flag.Bool("long", false, "walk through longer lives, and ask spin for the model's numbers of these")

func TestLongerLives(t *testing.T) {
	if !*long {
		t.Skip("give -long to walk through them")
	}
	for _, l := range longer {
		t.Run(l.Name, func(t *testing.T) { asks(t, l); agrees(t, l) })
	}
}

func count(l explore.Life) (explore.Counted, error) {
	b := explore.Bounds{Instants: l.Instants, Horizon: l.Horizon}
	return explore.Count(newMemory(b), newLedger(b), l)
}

var walked = map[string]explore.Counted{}

// counted walks once for all tests.
func counted(t *testing.T, l explore.Life) explore.Counted {
	t.Helper()
	c, ok := walked[l.Name]
	if !ok {
		var err error
		if c, err = count(l); err != nil {
			t.Fatal(err)
		}
		walked[l.Name] = c
	}
	return c
}

// The walk around the memory engine's own transitions reaches as many states as the model does within the same bounds.
func TestLivesReachTheModelsNumber(t *testing.T) {
	for _, l := range lives {
		t.Run(l.Name, func(t *testing.T) { agrees(t, l) })
	}
}

func agrees(t *testing.T, l explore.Life) {
	t.Helper()
	c := counted(t, l)
	if c.States != l.States {
		t.Errorf("%d states, the model has %d", c.States, l.States)
	}
	t.Logf("%+v", c)
}

// With one bound of the walk's world changed the number is another: agreement is no accident.
func TestLivesOfOtherBoundsDiffer(t *testing.T) {
	for name, change := range map[string]func(*explore.Life){
		"a fault more": func(l *explore.Life) { l.Faults++ }, "a cap higher": func(l *explore.Life) { l.Failures++ },
		"a redrive": func(l *explore.Life) { l.Redrives = 1 }, "a cancel": func(l *explore.Life) { l.Cancels = 1 },
		"lost replies": func(l *explore.Life) { l.Repeat, l.Faults = true, 1 }, "the ledger apart": func(l *explore.Life) { l.Apart = true },
		"no time": func(l *explore.Life) { l.Instants, l.Again = 0, false }, "an instant more": func(l *explore.Life) { l.Instants++ },
		"a longer horizon": func(l *explore.Life) { l.Horizon++ }, "nobody asks again": func(l *explore.Life) { l.Again = false },
		"a second request": func(l *explore.Life) { l.AgainNewer = true }, "pruned": func(l *explore.Life) { l.Prune = true },
		"marks in turn": func(l *explore.Life) { l.Marks = true },
	} {
		l := timed[0]
		change(&l)
		if c, err := count(l); err != nil || c.States == timed[0].States {
			t.Errorf("%s: %d states, %v", name, c.States, err)
		}
	}
}
