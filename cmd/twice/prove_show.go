package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/proof/prove"
)

// proveShow tells of a proof as it goes on; with --json it says nothing.
type proveShow struct {
	s     *session
	width int
	bar   *progress
	err   error // the first write that failed
}

func (w *proveShow) say(format string, args ...any) {
	if w.err == nil && !w.s.json {
		w.err = w.s.say(format, args...)
	}
}

func (w *proveShow) wrapped(lead, text string) {
	for _, line := range folded(lead, text, w.width) {
		w.say("%s", line)
	}
}

func (w *proveShow) opening(engine string, c proveCmd) {
	w.say("%s", w.s.paint(bold, "twice prove: run any job twice; the world changes once"))
	w.say("")
	w.wrapped("engine   ", plain(engine))
	if c.Once {
		w.wrapped("time     ", "each part once")
	} else {
		w.wrapped("time     ", fmt.Sprintf("%s: each part once, then again by turns with another seed while there is time", long(c.Time)))
	}
	w.wrapped("seed     ", fmt.Sprint(c.Seed))
	w.say("")
}

// told shows a part's line when its first round has ended; of later rounds only what did not hold.
func (w *proveShow) told(t prove.Told) {
	w.stop()
	if w.s.json {
		return
	}
	if !t.Over {
		what := fmt.Sprintf("%-4s %s", t.Part.ID, t.Part.Title)
		if t.Round > 1 {
			what += fmt.Sprintf(", round %d", t.Round)
		}
		w.bar = w.s.progress(what, 0)
		return
	}
	if t.Round == 1 || t.So.Verdict != prove.Held {
		w.line(t.So)
		w.details(t.So)
	}
}

func (w *proveShow) stop() {
	if w.bar != nil {
		w.bar.end()
		w.bar = nil
	}
}

func (w *proveShow) line(r *prove.Result) {
	mark, colour := "✓ ", greenInk
	switch r.Verdict {
	case prove.Broken, prove.Missed, prove.Failed:
		mark, colour = "✗ ", redInk
	case prove.LeftOut, prove.OutOfTime:
		mark, colour = "– ", yellowInk
	}
	title, verdict := fmt.Sprintf("%-4s %s", r.ID, plain(r.Title)), mark+string(r.Verdict)
	took := fmt.Sprintf("%6.1fs", r.Seconds)
	room := w.width - utf8.RuneCountInString(verdict) - len(took) - 4
	if utf8.RuneCountInString(title) > room {
		title = clip(title, room)
	}
	w.say("%s%s%s  %s", w.s.paint(bold, title), strings.Repeat(" ", room-utf8.RuneCountInString(title)+2), w.s.paint(colour, verdict), took)
}

// details tell what was seen, and of what did not hold, everything that is known.
func (w *proveShow) details(r *prove.Result) {
	const indent = "     "
	if seen := w.seen(r.Figures); seen != "" {
		w.wrapped(indent, seen)
	}
	for _, n := range r.Notes {
		w.wrapped(indent, n)
	}
	if r.Why != "" {
		w.wrapped(indent, r.Why)
	}
	switch r.Verdict {
	case prove.Caught:
		w.wrapped(indent+"found: ", r.Broken[0])
	case prove.Broken:
		for _, b := range r.Broken {
			w.wrapped(indent+"BROKEN: ", b)
		}
		for _, s := range r.Spaces {
			if s.Proof != nil && s.Proof.Failure != nil {
				w.failure(s.Proof)
			}
		}
	case prove.Missed:
		w.wrapped(indent, "It was to be found broken, and was not: "+r.Shows+".")
	}
}

func (w *proveShow) failure(p *proof.Report) {
	for line := range strings.Lines(p.Failure.String()) {
		w.say("     %s", plain(strings.TrimRight(line, "\n")))
	}
}

// seen says figures in words, but for those that are 0.
func (w *proveShow) seen(f prove.Figures) string {
	var all []string
	for _, n := range f.List() {
		if n.N > 0 {
			all = append(all, fmt.Sprintf("%s %s", n.Name, count(n.N)))
		}
	}
	return strings.Join(all, " · ")
}

func (w *proveShow) closing(r prove.Report, kept, page string) {
	w.say("")
	for _, p := range r.Parts {
		if p.Verdict == prove.LeftOut || p.Verdict == prove.OutOfTime {
			w.line(p)
			w.wrapped("     ", p.Why)
		}
	}
	w.say("")
	t := newTable(">SCHEDULES", ">KILLS", ">ZOMBIES", ">JOBS", ">STARTED TWICE", ">LOST", ">TWICE")
	number := func(n int) cell { return cell{text: count(n)} }
	f := r.Totals
	t.row(number(f.Schedules), number(f.Kills), number(f.Zombies), number(f.Jobs), number(f.StartedTwice), number(f.Lost), number(f.Twice))
	if w.err == nil {
		w.err = t.print(w.s)
	}
	w.say("")
	rounds, caught := 0, ""
	for _, p := range r.Parts {
		if rounds += p.Rounds; p.Control {
			caught = ", and every control was caught"
		}
	}
	switch {
	case !r.Holds:
		w.say("%s", w.s.paint(redInk, fmt.Sprintf("✗ It does not hold: see above. %d rounds in %.0fs, seed %d.", rounds, r.Seconds, r.Seed)))
	case !r.Complete:
		w.say("%s", w.s.paint(yellowInk, fmt.Sprintf("– What was fought holds, but the time was up: give --time more than %s.", long(r.BoxLength()))))
	default:
		w.say("%s", w.s.paint(greenInk, fmt.Sprintf("✓ All holds%s: %d rounds in %.0fs, seed %d.", caught, rounds, r.Seconds, r.Seed)))
	}
	if r.Durability != "" {
		w.wrapped("  ", "the engine says: "+r.Durability)
	}
	if kept != "" {
		w.say("  logs: %s", plain(kept))
	}
	if page != "" {
		w.say("  page: %s", plain(page))
	}
}
