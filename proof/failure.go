package proof

import (
	"fmt"
	"strings"

	"github.com/twicehq/twice/proof/internal/diff"
)

// Failure is a schedule that breaks the handler, told for a person. It can be written as JSON.
type Failure struct {
	Kind     string   `json:"kind"`
	Sort     Sort     `json:"sort"`
	Schedule string   `json:"schedule"` // for Case.Replay and TWICE_PROOF_REPLAY
	What     string   `json:"what"`     // in one sentence
	Steps    []string `json:"steps"`
	Calls    []string `json:"calls,omitempty"` // made more often than in a clean run, or less
	World    []string `json:"world,omitempty"` // what differs
	Advice   string   `json:"advice"`
	again    string   // the command that replays it
}

// failure tells what a broken result shows.
func (p *plan) failure(r, reference *result) *Failure {
	f := &Failure{Kind: p.rules.Kind, Sort: r.schedule.sortOf(), Schedule: r.schedule.String(), What: r.broken(reference)}
	more, fewer := r.counts(reference)
	f.Advice = advice[f.Sort]
	switch {
	case r.problem != nil && r.problem.help != "":
		f.Advice = r.problem.help
	case r == reference:
		f.Advice = "Nothing was done to the handler. First make a clean run end well."
	case f.Sort != clean && len(more) == 0 && len(fewer) > 0:
		f.Advice = missing
	}
	if r.seen && reference.seen {
		f.World = diff.Of(reference.world, r.world)
	}
	if r != reference && r.seen {
		f.Calls = told(r, more, fewer)
	}
	f.Steps = abridged(r.lines())
	return f
}

// told says which calls were made too often or not at all, and marks their steps.
func told(r *result, more, fewer []count) (lines []string) {
	for _, c := range more {
		var where []string
		for i, m := range c.made {
			where = append(where, fmt.Sprintf("by %s in step %d", m.who.name, m.step+1))
			if i >= c.once {
				r.steps[m.step].note = "made again"
				if c.once == 0 {
					r.steps[m.step].note = "not in the clean run"
				}
			}
		}
		lines = append(lines, fmt.Sprintf("made %s, not %s: %s (%s)", times(len(c.made)), times(c.once), c.name, strings.Join(where, ", ")))
	}
	for _, c := range fewer {
		how := "not at all"
		if len(c.made) > 0 {
			how = times(len(c.made))
		}
		lines = append(lines, fmt.Sprintf("made %s, not %s: %s", how, times(c.once), c.name))
	}
	return lines
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// lines tells what happened, step by step.
func (r *result) lines() []string {
	lines := make([]string, len(r.steps))
	for i, s := range r.steps {
		who := s.who
		if who == "" {
			who = "·"
		}
		lines[i] = fmt.Sprintf("%2d  %s  %s", i+1, who, s.text)
		if s.note != "" {
			lines[i] += "   ← " + s.note
		}
	}
	return lines
}

// abridged leaves out the middle of what is too long to be read.
func abridged(lines []string) []string {
	const first, last = 25, 10
	if len(lines) <= first+last+1 {
		return lines
	}
	out := append([]string{}, lines[:first]...)
	out = append(out, fmt.Sprintf("    … %d more of the like", len(lines)-first-last))
	return append(out, lines[len(lines)-last:]...)
}

// String tells the failure to a person.
func (f *Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is not safe to run twice: %s\n", f.Kind, f.What)
	how := map[Sort]string{
		Crash: "one crash", Lost: "one lost reply", Error: "one call that fails", Redrive: "a job that dies and is redriven", Zombie: "an attempt that stands still while another runs",
		SecondCrash: "two crashes", Duplicate: "two attempts side by side", Late: "an attempt that comes late", clean: "nothing: this was a clean run",
	}[f.Sort]
	fmt.Fprintf(&b, "\n  What it takes (%s), step by step; A, B, … are attempts of the one job:\n%s", how, indented(f.Steps))
	if len(f.Calls) > 0 {
		fmt.Fprintf(&b, "\n  The calls:\n%s", indented(f.Calls))
	}
	if len(f.World) > 0 {
		fmt.Fprintf(&b, "\n  The world, after one clean run → now:\n%s", indented(f.World))
	}
	fmt.Fprintf(&b, "\n  Why, and what helps:\n%s", indented(wrapped(f.Advice, 100)))
	if f.again != "" {
		fmt.Fprintf(&b, "\n  Again: %s\n", f.again)
	} else if f.Schedule != "" {
		fmt.Fprintf(&b, "\n  Again: set Case.Replay to %q\n", f.Schedule)
	}
	return b.String()
}

// wrapped breaks a text into lines.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+len(word) >= width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
