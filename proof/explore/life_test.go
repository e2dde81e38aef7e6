package explore_test

import (
	"flag"
	"testing"

	"github.com/twicehq/twice/proof/explore"
)

// lives, each with the number of states that spin counts of the model (see explore.Spin; TestEvidence -record asks it
// again). In a life with suspects the model may run any job alone, and engines only suspects: there it is narrowed.
var lives = []explore.Life{
	{Name: "a life", Defines: "-DMAXF=1 -DCANCEL -DREDRIVE -DDISCARD", States: 239279,
		Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Cancels: 1, Discards: 1},
	{Name: "lost replies, two faults", Defines: "-DMAXF=2 -DCANCEL -DREPEAT", States: 209090,
		Faults: 2, Failures: 2, Crashes: 2, Cancels: 1, Repeat: true},
	{Name: "lost replies, redriven", Defines: "-DMAXF=1 -DREDRIVE -DREPEAT", States: 50720,
		Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Repeat: true},
	{Name: "all counters", Defines: "-DMAXF=1 -DICAP=2 -DSCAP=2", States: 125674,
		Faults: 1, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2},
	{Name: "three counters, redriven", Defines: "-DFCAP=1 -DMAXF=0 -DICAP=2 -DSCAP=2 -DREDRIVE", States: 49838,
		Failures: 1, Crashes: 2, Interruptions: 2, Snoozes: 2, Redrives: 1},
	{Name: "suspects run alone", Defines: "-DFCAP=1 -DDISCARD -DLONE -DCCAP=3 -DMAXF=3 -DMAXRED=0", States: 10135,
		Patch:  "s/:: !lone -> solo = false :: solo = true fi/:: !lone -> solo = false :: lone -> solo = true fi/",
		Faults: 3, Failures: 1, Crashes: 3, Discards: 1, Lone: true},
}

// longer lives are walked when asked for: half a minute, and 400 MB.
var longer = []explore.Life{
	{Name: "three counters, a fault, redriven", Defines: "-DFCAP=1 -DMAXF=1 -DICAP=2 -DSCAP=2 -DREDRIVE", States: 653526,
		Faults: 1, Failures: 1, Crashes: 2, Interruptions: 2, Snoozes: 2, Redrives: 1},
	{Name: "all counters, cancelled", Defines: "-DMAXF=1 -DICAP=2 -DSCAP=2 -DCANCEL", States: 1448229,
		Faults: 1, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2, Cancels: 1},
}

var long = flag.Bool("long", false, "walk through longer lives, and ask spin for the model's numbers of these")

func TestLongerLives(t *testing.T) {
	if !*long {
		t.Skip("give -long to walk through them")
	}
	for _, l := range longer {
		asks(t, l)
		if c := counted(t, l); c.States != l.States {
			t.Errorf("%s: %d states, the model has %d", l.Name, c.States, l.States)
		}
	}
}

var walked = map[string]explore.Counted{}

// counted walks once for all tests.
func counted(t *testing.T, l explore.Life) explore.Counted {
	t.Helper()
	c, ok := walked[l.Name]
	if !ok {
		var err error
		if c, err = explore.Count(newMemory, l); err != nil {
			t.Fatal(err)
		}
		walked[l.Name] = c
	}
	return c
}

// The walk around the memory engine's own transitions reaches as many states as the model does within the same bounds.
func TestLivesReachTheModelsNumber(t *testing.T) {
	for _, l := range lives {
		t.Run(l.Name, func(t *testing.T) {
			c := counted(t, l)
			if c.States != l.States {
				t.Errorf("%d states, the model has %d", c.States, l.States)
			}
			t.Logf("%d states, %d rows, %d transitions of the engine", c.States, c.Rows, c.Transitions)
		})
	}
}

// With one guard of the walk's world changed the number is another: agreement is no accident.
func TestLivesOfOtherBoundsDiffer(t *testing.T) {
	for name, change := range map[string]func(*explore.Life){
		"a fault more": func(l *explore.Life) { l.Faults++ }, "a cap higher": func(l *explore.Life) { l.Failures++ },
		"no redrive": func(l *explore.Life) { l.Redrives = 0 }, "a cancel": func(l *explore.Life) { l.Cancels = 1 },
	} {
		l := lives[2]
		change(&l)
		if c, err := explore.Count(newMemory, l); err != nil || c.States == l.States {
			t.Errorf("%s: %d states, %v", name, c.States, err)
		}
	}
}
