package dashboard

import (
	"strings"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// event is one thing that happened to a job, or will.
type event struct {
	What  string
	Tone  string
	At    moment
	Facts []fact
	Error string
	Next  bool // it has not happened yet
}

// timeline tells a job's life in the order in which it went. at puts an instant into words.
func timeline(j httpapi.Job, now time.Time, at func(time.Time) moment) []event {
	var all []event
	if !j.Origin.IsZero() && j.EnqueuedAt.Sub(j.Origin) > time.Second {
		all = append(all, event{What: "First asked for", At: at(j.Origin)})
	}
	if !j.EnqueuedAt.IsZero() {
		e := event{What: "Accepted", At: at(j.EnqueuedAt)}
		if id := j.Headers["request_id"]; id != "" {
			e.Facts = append(e.Facts, fact{Name: "request", Text: visible(shorten(id, 200))})
		}
		if by := j.Headers["run_by"]; by != "" {
			e.Facts = append(e.Facts, fact{Name: "run by", Text: visible(shorten(by, 100))}, fact{Name: "because", Text: visible(shorten(j.Headers["run_why"], 500))})
		}
		all = append(all, e)
	}
	if j.AttemptsDropped > 0 {
		all = append(all, event{What: noun(j.AttemptsDropped, "earlier attempt") + ", no longer kept"})
	}
	for _, a := range j.Attempts {
		all = append(all, attemptEvent(a, at))
	}
	return append(all, present(j, now, at)...)
}

func attemptEvent(a httpapi.Attempt, at func(time.Time) moment) event {
	w := wordOf(outcomes, a.Outcome.String())
	e := event{What: "Attempt " + counted(a.N) + ": " + lowered(w.Text), Tone: w.Tone, At: at(a.Start), Error: visible(shorten(a.Error, 8<<10))}
	if e.At.ISO == "" {
		e.At = at(a.End)
	}
	if !a.Start.IsZero() && !a.End.IsZero() {
		e.Facts = append(e.Facts, fact{Name: "took", Text: lasts(a.End.Sub(a.Start))})
	}
	if a.Worker != "" {
		e.Facts = append(e.Facts, fact{Name: "worker", Text: visible(a.Worker)})
	}
	if a.Alone {
		e.Facts = append(e.Facts, fact{Name: "alone", Text: "with nothing beside it in its process"})
	}
	return e
}

// present is where the job stands, and what comes next.
func present(j httpapi.Job, now time.Time, at func(time.Time) moment) []event {
	switch j.State.String() {
	case "running":
		e := event{What: "Runs now", Tone: "now", At: at(j.ClaimedAt), Facts: []fact{{Name: "worker", Text: visible(j.Worker)}, {Name: "attempt", Text: counted(j.Token)}}}
		if !j.LeaseUntil.IsZero() {
			left := fact{Name: "lease until", Text: at(j.LeaseUntil).Exact, Note: ago(now.Sub(j.LeaseUntil))}
			if j.LeaseUntil.Before(now) {
				e.What, e.Tone = "Its lease ran out: its worker fell silent", "warn"
				left.Name = "ran out"
			}
			e.Facts = append(e.Facts, left)
		}
		return []event{e}
	case "queued":
		e := event{What: "Due", At: at(j.RunAt), Next: true}
		switch {
		case j.RunAt.After(now) && len(j.Attempts) > 0:
			e.What = "Next attempt"
		case j.RunAt.After(now):
			e.What = "Runs"
		case j.Lone:
			e.What = "Due: waits to run alone, since it took processes down"
		}
		if j.Paused {
			e.Facts = append(e.Facts, fact{Name: "held", Text: "its queue is paused"})
		}
		return []event{e}
	case "done":
		return []event{{What: "Done", Tone: "good", At: at(j.EndedAt)}}
	case "dead":
		return []event{{What: "Gave up: " + textOf(reasons, string(j.Reason)), Tone: "bad", At: at(j.EndedAt)}}
	case "cancelled":
		return []event{{What: "Cancelled: " + textOf(reasons, string(j.Reason)), At: at(j.EndedAt)}}
	}
	return nil
}

// lowered puts the first letter in lower case.
func lowered(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
