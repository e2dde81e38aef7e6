package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twicehq/twice/queue"
)

// showView is one job in JSON: the job, and what to do next.
type showView struct {
	jobView
	Next []string `json:"next"`
}

func (l looked) show(s *session) error {
	if s.json {
		v := showView{viewJob(l.Record), l.next()}
		v.Effects = l.effects()
		return s.emit(v)
	}
	var b strings.Builder
	field := func(name, value string) {
		if value != "" && value != "-" {
			fmt.Fprintf(&b, "  %-12s%s\n", name, value)
		}
	}
	state := stateCell(l.Record)
	fmt.Fprintf(&b, "%s  %s\n", s.paint(bold, "job "+l.Job.ID.String()), s.paint(state.ink, state.text))
	field("kind", plain(l.Job.Kind))
	field("key", keyOf(l.Record))
	field("queue", plain(l.Job.Queue)+note(l.paused, " (paused)"))
	if l.Whole {
		field("payload", content(l.Job.Payload))
	}
	field("priority", note(l.Job.Priority != 0, fmt.Sprint(l.Job.Priority)))
	field("group", plain(l.Job.Group))
	field("parent", note(!l.Job.Parent.IsZero(), l.Job.Parent.String()))
	for _, name := range slices.Sorted(maps.Keys(l.Job.Headers)) {
		field("header", named(name)+" = "+named(l.Job.Headers[name]))
	}
	field("timeout", note(l.Job.Timeout != 0, l.Job.Timeout.String()))
	field("origin", s.at(l.Job.Origin))
	field("enqueued", s.at(l.EnqueuedAt))
	field("due", note(l.State == queue.Queued, s.at(l.RunAt)))
	field("deadline", s.at(l.Job.Deadline))
	field("claimed", s.at(l.ClaimedAt)+note(l.Worker != "", " by "+named(l.Worker)))
	field("lease until", s.at(l.LeaseUntil))
	field("ended", s.at(l.EndedAt))
	field("came back", cameBack(l.Counts))
	field("alone", note(l.Lone && !l.State.Ended(), "yes: one more crash ends it, so it runs with nothing beside it"))
	if len(l.Result) > 0 {
		field("result", content(l.Result))
	}
	if !l.Whole {
		field("kept", "only its id, fingerprint, state and times: it has ended")
	}
	if l.Error != "" {
		for i, line := range lines(l.Error, 12) {
			field(note(i == 0, "last error"), line)
		}
	}
	if err := s.write(s.Stdout, []byte(b.String())); err != nil {
		return err
	}
	if err := l.showAttempts(s); err != nil {
		return err
	}
	if err := l.showEffects(s); err != nil {
		return err
	}
	if err := s.say("\n%s", s.paint(bold, "next")); err != nil {
		return err
	}
	for _, line := range l.next() {
		if err := s.say("  %s", plain(line)); err != nil {
			return err
		}
	}
	return nil
}

func (l looked) showAttempts(s *session) error {
	if len(l.Attempts) == 0 {
		return nil
	}
	title := "attempts"
	if l.AttemptsDropped > 0 {
		title = fmt.Sprintf("attempts (the last %d; %s before them are no longer kept)", len(l.Attempts), count(l.AttemptsDropped))
	}
	if err := s.say("\n%s", s.paint(bold, title)); err != nil {
		return err
	}
	t := newTable(">  N", "OUTCOME", "BEGAN", ">TOOK", "WORKER", "ERROR")
	for _, a := range l.Attempts {
		outcome := cell{a.Outcome.String() + note(a.Alone, " (alone)"), ""}
		if a.Outcome == queue.OutcomeDone {
			outcome.ink = greenInk
		}
		t.row(a.N, outcome, s.at(a.Start), long(max(0, a.End.Sub(a.Start))), clip(plain(a.Worker), 40), clip(plain(firstLine(a.Error)), 60))
	}
	return t.print(s)
}

func (l looked) showEffects(s *session) error {
	effects := l.effects()
	if len(effects) == 0 {
		return nil
	}
	if err := s.say("\n%s", s.paint(bold, "effects")); err != nil {
		return err
	}
	t := newTable("  STEP", "STATE", "FIRST ASKED FOR", "ANSWERED", "RESULT")
	for _, e := range effects {
		answered := note(!e.AnsweredAt.IsZero(), s.at(e.AnsweredAt)+" by "+named(e.AnsweredBy))
		result := []byte(e.Result)
		if e.ResultBase64 != nil {
			result = e.ResultBase64
		}
		t.row("  "+plain(e.Step), cell{plain(e.State), ink(e.State)}, s.at(e.FirstSentAt), answered, note(len(result) > 0, clip(content(result), 60)))
	}
	return t.print(s)
}

// note gives text where it applies.
func note(applies bool, text string) string {
	if applies {
		return text
	}
	return ""
}

// cameBack tells the ways back to the queue that were counted.
func cameBack(c queue.Counts) string {
	var parts []string
	for _, p := range []struct {
		n            int
		one, several string
	}{{c.Failures, "failure", "failures"}, {c.Crashes, "crash", "crashes"}, {c.Interruptions, "interruption", "interruptions"},
		{c.Snoozes, "snooze", "snoozes"}, {c.Redrives, "redrive", "redrives"}} {
		if p.n > 0 {
			parts = append(parts, many(p.n, p.one, p.several))
		}
	}
	return strings.Join(parts, ", ")
}
