package broken_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/proof/broken"
)

var record = flag.Bool("record", false, "write the table of docs/evidence/handlers.txt")

const evidence = "../../docs/evidence/handlers.txt"

// Every handler that is wrong is found, by the right schedule and in the right words; every one made right passes, with
// nothing left out. The table says so.
func TestBrokenHandlers(t *testing.T) {
	rows := make([]string, len(broken.All()))
	t.Run("handlers", func(t *testing.T) {
		for i, x := range broken.All() {
			t.Run(x.Name, func(t *testing.T) {
				t.Parallel()
				rows[i] = row(t, x)
			})
		}
	})
	table := head + strings.Join(rows, "\n")
	if *record && !t.Failed() {
		if err := os.WriteFile(evidence, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := os.ReadFile(evidence); err != nil || string(there) != table {
		t.Errorf("%s is not what the kit finds (%v); write it with: go test ./proof/broken -run TestBrokenHandlers -record", evidence, err)
	}
}

const head = `Handlers as people really write them, what the kit says of each, and the same handler made right.
Written by: go test ./proof/broken -run TestBrokenHandlers -record

`

func row(t *testing.T, x broken.Example) string {
	wrong, err := x.Wrong()
	if err != nil {
		t.Fatal(err)
	}
	if wrong.Failure == nil {
		t.Fatalf("%s is not found:\n%s", x.Name, wrong)
	}
	said := wrong.Failure.String()
	if wrong.Failure.Sort != x.Found {
		t.Errorf("it is found by %s, want %s", wrong.Failure.Sort, x.Found)
	}
	for _, words := range x.Says {
		if !strings.Contains(said, words) {
			t.Errorf("%q is not said in\n%s", words, said)
		}
	}
	right, err := x.Right()
	if err != nil {
		t.Fatal(err)
	}
	if !right.Safe || !right.Complete() || len(right.Notes) > 0 {
		t.Errorf("made right it does not pass, or not whole:\n%s", right)
	}
	return fmt.Sprintf(`%s
  wrong: %s
  found: %s (%s), the %s schedule explored
  calls: %s
  world: %s
  also found by: %s
  right: %s; passes %d schedules over %d points
`, x.Name, x.Why, wrong.Failure.Sort, wrong.Failure.Schedule, nth(wrong.Explored), strings.Join(wrong.Failure.Calls, "; "),
		strings.Join(wrong.Failure.World, "; "), others(x), x.Fix, right.Explored, right.Points)
}

func others(x broken.Example) string {
	var names []string
	for _, s := range x.By {
		if s != x.Found {
			names = append(names, string(s))
		}
	}
	return strings.Join(names, ", ")
}

func nth(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// The control of each sort: alone it finds the handlers that By says, and no other; and without all that By says the kit
// passes a handler that is wrong.
func TestControl(t *testing.T) {
	for _, x := range broken.All() {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			blind, err := x.Wrong(x.By...)
			if err != nil || !blind.Safe {
				t.Errorf("without %v it is found all the same (%v):\n%s", x.By, err, blind)
			}
			if blind.Complete() {
				t.Error("the report does not say that sorts were left out")
			}
			for _, s := range proof.Sorts() {
				alone, err := x.Wrong(without(s)...)
				if found := err == nil && !alone.Safe; found != slices.Contains(x.By, s) {
					t.Errorf("%s alone finds it: %t (%v)\n%s", s, found, err, alone)
				}
			}
		})
	}
}

// without gives all sorts but one.
func without(s proof.Sort) []proof.Sort {
	return slices.DeleteFunc(proof.Sorts(), func(o proof.Sort) bool { return o == s })
}
