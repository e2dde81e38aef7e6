package dashboard

import (
	"strings"

	"github.com/twicehq/twice/httpapi"
)

func (v *visit) jobRows(jobs []httpapi.Job) []jobRow {
	rows := make([]jobRow, 0, len(jobs))
	for _, j := range jobs {
		r := jobRow{ID: j.ID.String(), Href: v.d.to("jobs", j.ID.String()), Short: j.ID.String()[:8], Kind: visible(j.Kind), Queue: visible(j.Queue), Key: visible(shorten(j.Key, 120)),
			State: wordOf(states, j.State.String()), Remembered: !j.Whole}
		if j.Queue != "" {
			r.QueueHref = v.d.to("queues", j.Queue)
		}
		switch state := j.State.String(); {
		case state == "queued" && j.RunAt.After(v.now):
			r.When, r.WhenWhat = v.at(j.RunAt), "runs"
			if n := j.Counts.Failures + j.Counts.Crashes; n > 0 {
				r.State = word{"Waits to retry", "warn"}
			}
		case state == "queued":
			r.State, r.When, r.WhenWhat = word{"Due", ""}, v.at(j.RunAt), "due"
		case state == "running" && !j.LeaseUntil.IsZero() && j.LeaseUntil.Before(v.now):
			r.State, r.When, r.WhenWhat = word{"Lease ran out", "warn"}, v.at(j.LeaseUntil), "ran out"
		case state == "running":
			r.When, r.WhenWhat = v.at(j.ClaimedAt), "claimed"
		default:
			r.When, r.WhenWhat = v.at(j.EndedAt), "ended"
		}
		if n := j.Counts.Failures; n > 0 {
			r.Failures = noun(n, "failure")
		}
		if n := j.Counts.Crashes; n > 0 {
			r.Failures = strings.TrimPrefix(r.Failures+", "+noun(n, "crash"), ", ")
		}
		if s := j.State.String(); s == "dead" || s == "queued" {
			r.Error = visible(shorten(oneLine(j.Error), 160))
		}
		if j.Reason != "" {
			r.Note = textOf(reasons, string(j.Reason))
		}
		rows = append(rows, r)
	}
	return rows
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
