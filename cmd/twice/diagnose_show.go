package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/twicehq/twice/diagnose"
)

// printFindings tells of each queue: the verdict, what it says, and for one that needs a person the evidence and what to do.
func printFindings(s *session, all []diagnose.Finding) error {
	for i, f := range all {
		name := plain(f.Queue)
		if name == "" {
			name = "the engine"
		}
		colour := greenInk
		if !f.Well {
			colour = redInk
		}
		head := s.paint(bold, name) + "  " + s.paint(colour, inWords(f.Verdict))
		for _, also := range f.Also {
			head += "; also " + inWords(also)
		}
		lines := []string{head}
		if f.Says != "" {
			lines = append(lines, folded("    ", f.Says, s.width())...)
		}
		if !f.Well {
			for _, e := range f.Evidence {
				lines = append(lines, "    "+clip(evidence(e), max(40, s.width()-4)))
			}
			if f.Change != "" {
				lines = append(lines, folded("    ", "It would change: "+f.Change, s.width())...)
			}
			if f.Do != "" {
				lines = append(lines, folded("    ", "Do: "+f.Do, s.width())...)
			}
			if f.Runbook != "" {
				lines = append(lines, "    More: docs/runbooks/"+plain(f.Runbook)+".md")
			}
		}
		if i < len(all)-1 && !f.Well {
			lines = append(lines, "")
		}
		if err := s.say("%s", strings.Join(lines, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// inWords is a verdict for people.
func inWords(v diagnose.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

// evidence is one fact on one line.
func evidence(e diagnose.Evidence) string {
	text := strings.ReplaceAll(plain(e.Name), "_", " ")
	if e.Text == "" || e.Unit != "" {
		text += ": " + amount(e.Value, e.Unit)
	}
	if e.Text != "" {
		text += ": " + plain(e.Text)
	}
	if len(e.Workers) > 0 {
		text += " (" + listOf(e.Workers) + ")"
	}
	if len(e.Jobs) > 0 {
		ids := make([]string, len(e.Jobs))
		for i, id := range e.Jobs {
			ids[i] = id.String()
		}
		text += " (" + listOf(ids) + ")"
	}
	return text
}

// amount is a number with its unit.
func amount(n float64, unit string) string {
	switch {
	case unit == "s":
		return long(time.Duration(n * float64(time.Second)))
	case math.Trunc(n) == n && math.Abs(n) < 1e15:
		if n == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		return strings.TrimSpace(count(int64(n)) + " " + unit)
	case unit == "/s":
		return fmt.Sprintf("%.3g/s", n)
	default:
		return strings.TrimSpace(fmt.Sprintf("%.3g %s", n, unit))
	}
}
