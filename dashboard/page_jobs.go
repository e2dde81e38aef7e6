package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/twicehq/twice/httpapi"
)

// jobsBody is the body of the list of jobs.
type jobsBody struct {
	Queue, Kind, State, Reason string
	Find                       string
	Jobs                       []jobRow
	States                     []choice
	Later                      string // the address of the page after this
	First                      string // of the first page, where this is not it
	Filtered                   bool
}

// jobRow is one job in a list.
type jobRow struct {
	ID, Href   string
	Short      string
	Kind       string
	Queue      string
	QueueHref  string
	Key        string
	State      word
	Note       string
	When       moment
	WhenWhat   string
	Failures   string
	Error      string
	Remembered bool // only its id and state are kept
}

// jobsShown is how many jobs a page holds.
const jobsShown = 50

// stateNames are those of a filter.
var stateNames = []string{"queued", "running", "done", "dead", "cancelled"}

func jobsPage(v *visit) (view, error) {
	b := jobsBody{Queue: strings.TrimSpace(v.query("queue")), Kind: strings.TrimSpace(v.query("kind")), State: v.query("state"), Reason: v.query("reason"), Find: strings.TrimSpace(v.query("find"))}
	if b.Find != "" {
		if to := v.found(b.Kind, b.Find); to != "" {
			http.Redirect(v.w, v.r, to, http.StatusSeeOther)
			return view{}, nil
		}
	}
	for _, s := range stateNames {
		b.States = append(b.States, choice{s, states[s].Text})
	}
	b.Filtered = b.Queue != "" || b.Kind != "" || b.State != "" || b.Reason != "" || b.Find != ""
	s := view{page: "jobs", Title: "Jobs", Here: "Jobs"}
	q := blank(v.api.JobsPage)
	q.Queue, q.Kind, q.Cursor, q.Limit = b.Queue, b.Kind, v.query("cursor"), jobsShown
	put(&q.Reason, b.Reason)
	var err error
	if b.State != "" {
		if err = q.State.UnmarshalText([]byte(b.State)); err != nil {
			err = wrongInput("There is no state "+visible(shorten(b.State, 40))+".", "Choose one of "+strings.Join(stateNames, ", ")+".")
		}
	}
	if err == nil && b.Find != "" {
		err = &trouble{Title: "No such job", What: "Nothing is known (any more) by " + visible(shorten(b.Find, 100)) + ".", Remedy: "Give a job's id, or a key together with its kind. Jobs that have ended are forgotten in the end.",
			status: http.StatusNotFound, word: "not_found"}
	}
	var page httpapi.Jobs
	if err == nil {
		page, err = ask(v.ctx, func(c context.Context) (httpapi.Jobs, error) { return v.api.JobsPage(c, q) })
	}
	if t := asTrouble(err); t != nil {
		if t.status == http.StatusUnauthorized {
			return s, t
		}
		s.Trouble, s.status = t, t.status
	}
	b.Jobs = v.jobRows(page.Jobs)
	filter := []string{"queue", b.Queue, "kind", b.Kind, "state", b.State, "reason", b.Reason}
	if page.Next != "" {
		b.Later = queryTo(v.d.to("jobs"), append(slices.Clone(filter), "cursor", page.Next)...)
	}
	if q.Cursor != "" {
		b.First = queryTo(v.d.to("jobs"), filter...)
	} else if s.Trouble == nil {
		s.Live = v.self()
	}
	s.Body = b
	return s, nil
}

// found gives the address of the job that a person looks for, by id or by kind and key; empty: there is none.
func (v *visit) found(kind, text string) string {
	if j, err := named(text); err == nil {
		if _, err := ask(v.ctx, func(c context.Context) (httpapi.Job, error) { return v.api.Job(c, j.ID) }); err == nil {
			return v.d.to("jobs", j.ID.String())
		}
	}
	if kind == "" {
		return ""
	}
	j, err := ask(v.ctx, func(c context.Context) (httpapi.Job, error) { return v.api.JobOf(c, kind, text) })
	if err != nil {
		return ""
	}
	return v.d.to("jobs", j.ID.String())
}
