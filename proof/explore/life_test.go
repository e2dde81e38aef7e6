package explore_test

import (
	"flag"
	"testing"

	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
)

var long = flag.Bool("long", false, "walk through longer lives, and ask spin for the model's numbers of these")

func TestLongerLives(t *testing.T) {
	if !*long {
		t.Skip("give -long to walk through them")
	}
	for _, l := range lives.Longer {
		t.Run(l.Name, func(t *testing.T) { asks(t, l); agrees(t, l) })
	}
}

var walked = map[string]explore.Counted{}

// counted walks once for all tests.
func counted(t *testing.T, l explore.Life) explore.Counted {
	t.Helper()
	c, ok := walked[l.Name]
	if !ok {
		var err error
		if c, err = lives.Count(l); err != nil {
			t.Fatal(err)
		}
		walked[l.Name] = c
	}
	return c
}

// The walk around the memory engine's own transitions reaches as many states as the model does within the same bounds.
func TestLivesReachTheModelsNumber(t *testing.T) {
	for _, l := range lives.All {
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
		l := lives.Timed[0]
		change(&l)
		if c, err := lives.Count(l); err != nil || c.States == lives.Timed[0].States {
			t.Errorf("%s: %d states, %v", name, c.States, err)
		}
	}
}
