package dashboard

import (
	"context"
	"strings"
	"time"

	"github.com/twicehq/twice/httpapi"
)

func jobFacts(j httpapi.Job, at func(t time.Time) moment) []fact {
	all := []fact{{Name: "id", Text: j.ID.String(), Mono: true}}
	add := func(name, text string) {
		if text != "" {
			all = append(all, fact{Name: name, Text: visible(shorten(text, 300)), Mono: name == "request" || name == "trace"})
		}
	}
	tally := func(n int, name string) {
		if n > 0 {
			add(name, counted(n))
		}
	}
	tally(j.Counts.Failures, "failures")
	tally(j.Counts.Crashes, "crashes")
	tally(j.Counts.Interruptions, "interruptions")
	tally(j.Counts.Snoozes, "snoozes")
	tally(j.Counts.Redrives, "redrives")
	if j.Priority != 0 {
		add("priority", counted(j.Priority))
	}
	add("group", j.Group)
	if j.TimeoutSeconds > 0 {
		add("may take", lasts(secs(j.TimeoutSeconds)))
	}
	if d := at(j.Deadline); d.ISO != "" {
		all = append(all, fact{Name: "deadline", Text: d.Exact, Note: d.Ago})
	}
	add("request", j.Headers["request_id"])
	if parts := strings.Split(j.Headers["traceparent"], "-"); len(parts) == 4 {
		add("trace", parts[1])
	}
	return all
}

// follow finds the jobs that this one made, among the latest: the API has no list of them.
func (v *visit) follow(b *jobBody, j httpapi.Job) {
	if v.part && j.State.String() == "running" {
		return
	}
	q := blank(v.api.JobsPage)
	q.Limit = followAmong
	page, err := ask(v.ctx, func(c context.Context) (httpapi.Jobs, error) { return v.api.JobsPage(c, q) })
	if err != nil {
		b.FollowNote = "They could not be looked up: " + lowered(asTrouble(err).Title) + "."
		return
	}
	var some []httpapi.Job
	for _, one := range page.Jobs {
		if one.Parent == j.ID && len(some) < 20 {
			some = append(some, one)
		}
	}
	b.Followers = v.jobRows(some)
	if last := len(page.Jobs) - 1; page.Next != "" && page.Jobs[last].EnqueuedAt.After(j.EnqueuedAt) {
		b.FollowNote = "Only the latest " + counted(followAmong) + " jobs were looked through."
	}
}

// progressOf tells how far its handler says it has come.
func (v *visit) progressOf(b *jobBody, j httpapi.Job) {
	if j.State.String() != "running" || !v.can("presence") {
		return
	}
	workers, _, err := some(v.ctx, mostWorkers, v.api.Workers)
	if err != nil {
		return
	}
	for _, w := range workers {
		for _, p := range w.Running {
			if p.Job == j.ID {
				b.Progress = v.progress(p)
			}
		}
	}
}

// progress is nil where the handler told nothing, or nonsense.
func (v *visit) progress(p httpapi.Progress) *progress {
	if p.Total <= 0 || p.Done < 0 {
		return nil
	}
	return &progress{Done: min(p.Done, p.Total), Total: p.Total, Text: counted(p.Done) + " of " + counted(p.Total), Moved: v.at(p.Moved)}
}
