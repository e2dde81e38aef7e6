package proof

import "testing"

// A schedule that is printed is read back the same; what is none is refused in words.
func TestScheduleText(t *testing.T) {
	for text, sort := range map[string]Sort{
		"A": clean, "A2:crash": Crash, "A2:error": Error, "A2:dead redrive": Redrive, "A3 B A": Zombie, "A12 B": Zombie,
		"A3:crash B2:crash": SecondCrash, "A3 B5 A B": Duplicate, "A1 B reap again A": Late,
	} {
		s, err := parse(text)
		if err != nil || s.String() != text || s.sortOf() != sort {
			t.Errorf("%q gives %q, %s, %v", text, s, s.sortOf(), err)
		}
	}
	for _, text := range []string{"a", "A0", "A-1", "A:crash", "A2:crush", "B", "A C", "A2:crash:crash", "1", "A2: crash", "redrives", "Ä",
		"A A A A A A A A A A A A A A A A A A A A A"} {
		if s, err := parse(text); err == nil {
			t.Errorf("%q is taken for %q", text, s)
		}
	}
}

// What is shorter is in order, and does become shorter.
func TestShorter(t *testing.T) {
	s, _ := parse("A3 B2 A B")
	for _, got := range shorter(s) {
		if _, err := parse(got.String()); err != nil {
			t.Error(err)
		}
	}
	if n := len(shorter(s)); n != 5 {
		t.Errorf("%d shorter ones of %s: %v", n, s, shorter(s))
	}
	two, _ := parse("A1:crash B4:crash")
	if got := shorter(two)[0].String(); got != "A4:crash" {
		t.Errorf("without its first crash %s is %s", two, got)
	}
}
