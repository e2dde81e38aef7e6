package main

import (
	"context"
	"errors"
	"strings"

	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/queue"
)

// fault is an error as people and scripts get it. Reason is a word of the table below; each fault has a
// what, a why and a remedy, also where whoever failed gave none.
type fault struct {
	Reason   string  `json:"reason"`
	What     string  `json:"what"`
	Why      string  `json:"why"`
	Remedy   string  `json:"remedy"`
	Problems []fault `json:"problems,omitempty"`
}

// reasons gives each reason its word in JSON, and a remedy for where there is none. The first that matches counts.
var reasons = []struct {
	is           error
	word, remedy string
}{
	{context.Canceled, "interrupted", "run it again: what was done stays done"},
	{context.DeadlineExceeded, "unavailable", "check that the engine runs, then repeat the command"},
	{queue.ErrUnknownOutcome, "outcome_unknown", "repeat the same command: it is safe"},
	{queue.ErrUnavailable, "unavailable", "check that the engine runs and may be reached, then repeat the command"},
	{queue.ErrReadOnly, "read_only", "make the store writable for this user"},
	{queue.ErrFull, "full", "free some space, then repeat the command"},
	{queue.ErrCorrupt, "corrupt", "copy the store before anything else, then check the copy"},
	{queue.ErrSchema, "schema", "run a newer version of twice, or name another store"},
	{queue.ErrClosed, "closed", "repeat the command"},
	{open.ErrVersion, "not_in_this_version", "use sqlite:PATH, which needs nothing installed"},
	{queue.ErrUnsupported, "unsupported", "docs/conformance.md tells what each engine can do"},
	{queue.ErrTooLarge, "too_large", "make it smaller"},
	{queue.ErrConflict, "conflict", "use another key for another job, or the same content for the same one"},
	{queue.ErrRefused, "refused", "it may have run before; if it must run again, give it another key"},
	{queue.ErrInDoubt, "in_doubt", "find out whether the effect happened, then `twice dead resolve`"},
	{queue.ErrCapped, "redrive_cap", "discard it, or enqueue it anew under another key"},
	{queue.ErrNotFound, "not_found", "`twice jobs` lists what there is; jobs that are done are forgotten in the end"},
	{queue.ErrState, "wrong_state", "`twice job ID` shows its state and what can be done"},
	{queue.ErrLeaseLost, "lease_lost", "it was claimed meanwhile: repeat the command"},
	{queue.ErrFired, "already_fired", "nothing: another scheduler has done it"},
	{queue.ErrInvalid, "invalid", "`twice COMMAND --help` tells how it is used"},
	{errOutput, "output", "see where the output goes"},
}

func explain(err error) fault {
	f := fault{Reason: "internal", Remedy: "this should not happen: please report it with the command that was given"}
	for _, r := range reasons {
		if errors.Is(err, r.is) {
			f.Reason, f.Remedy = r.word, r.remedy
			break
		}
	}
	var e *queue.Error
	if !errors.As(err, &e) {
		f.What, f.Why = "twice", err.Error()
		return f
	}
	f.What = strings.TrimSpace(e.Op + " " + e.Subject)
	if f.What == "" {
		f.What = "twice"
	}
	if e.Remedy != "" && e.Remedy != e.Detail {
		f.Remedy = e.Remedy
	}
	var why []string
	add := func(text string) {
		if text != "" {
			why = append(why, text)
		}
	}
	// "invalid" says nothing that the detail does not.
	if e.Reason != nil && (e.Reason != queue.ErrInvalid || e.Detail == "" && e.Cause == nil) {
		add(e.Reason.Error())
	}
	add(e.Detail)
	var several queue.Problems
	switch {
	case errors.As(e.Cause, &several):
		f.Remedy = e.Remedy
		for _, p := range several {
			one := explain(p)
			if one.What == "twice" || one.What == e.Op {
				one.What = f.What
			}
			if len(one.Problems) > 0 {
				f.Problems = append(f.Problems, one.Problems...)
			} else {
				f.Problems = append(f.Problems, one)
			}
		}
		if f.Remedy == "" {
			f.Remedy = "mend each of them: " + f.Problems[0].Remedy
		}
	case e.Cause != nil:
		add(e.Cause.Error())
	}
	f.Why = strings.Join(why, ": ")
	return f
}

// text gives the fault as people read it: what, why, remedy.
func (f fault) text(s *session) string {
	var b strings.Builder
	b.WriteString(s.red("error: ") + plain(f.What) + "\n")
	if len(f.Problems) == 0 {
		b.WriteString("  why: " + plain(f.Why) + "\n  do:  " + plain(f.Remedy) + "\n")
		return b.String()
	}
	for _, p := range f.Problems {
		why := p.Why
		if p.What != f.What && !strings.HasPrefix(why, p.What) {
			why = p.What + ": " + why
		}
		b.WriteString("  why: " + plain(why) + "\n  do:  " + plain(p.Remedy) + "\n")
	}
	return b.String()
}
