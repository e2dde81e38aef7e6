package dashboard

import (
	"context"
	"github.com/twicehq/twice/httpapi"
)

type auditBody struct {
	Changes []deed
	Later   string
	First   string
	Lacks   string
}

// deed is one change by a person.
type deed struct {
	At        moment
	Who       string
	What      string
	Why       string
	Queue     string
	QueueHref string
	Job       string
	JobHref   string
	Note      string
}

func auditPage(v *visit) (view, error) {
	s := view{page: "audit", Title: "Audit", Here: "Audit"}
	if !v.can("audit") {
		s.Body = auditBody{Lacks: "This engine keeps no trail of changes, and cannot count its books."}
		return s, nil
	}
	cursor := v.query("cursor")
	t, err := ask(v.ctx, func(c context.Context) (httpapi.Trail, error) { return v.api.TrailPage(c, cursor, 50) })
	if err != nil {
		return s, err
	}
	var b auditBody
	for _, ch := range t.Changes {
		d := deed{At: v.at(ch.At), Who: visible(shorten(ch.Who, 100)), What: textOf(deeds, ch.What), Why: visible(shorten(ch.Why, 600)), Queue: visible(ch.Queue), Note: visible(shorten(ch.Note, 300))}
		if ch.Queue != "" {
			d.QueueHref = v.d.to("queues", ch.Queue)
		}
		if !ch.Job.IsZero() {
			d.Job, d.JobHref = ch.Job.String()[:8], v.d.to("jobs", ch.Job.String())
		}
		b.Changes = append(b.Changes, d)
	}
	if t.Next != "" {
		b.Later = queryTo(v.d.to("audit"), "cursor", t.Next)
	}
	if cursor != "" {
		b.First = v.d.to("audit")
	}
	s.Body = b
	return s, nil
}

type booksBody struct {
	Balanced   bool
	Rows       []bookRow
	Total      bookRow
	Durability string
	Lacks      string
	More       bool
}

type bookRow struct {
	Queue, Href                                                    string
	Accepted, Queued, Running, Done, Dead, Cancelled, Pruned, Miss string
	Wrong                                                          bool
}

// booksShown bounds the rows; those that do not balance come first.
const booksShown = 200

// booksPage counts by scan, when it is asked for: it is no part of any other page.
func booksPage(v *visit) (view, error) {
	s := view{page: "books", Title: "The books", Here: "Audit"}
	if !v.can("audit") {
		s.Body = booksBody{Lacks: "This engine cannot count its books."}
		return s, nil
	}
	a, err := ask(v.r.Context(), v.api.Audit) // as long as the API allows
	if err != nil {
		return s, err
	}
	b := booksBody{Balanced: a.Balanced, Total: bookOf(a.Total), Durability: visible(a.Durability), More: len(a.Queues) > booksShown}
	for _, wrong := range []bool{true, false} {
		for _, q := range a.Queues {
			if (q.Missing != 0) == wrong && len(b.Rows) < booksShown {
				r := bookOf(q)
				r.Queue, r.Href = visible(q.Queue), v.d.to("queues", q.Queue)
				b.Rows = append(b.Rows, r)
			}
		}
	}
	s.Body = b
	return s, nil
}

func bookOf(b httpapi.Books) bookRow {
	return bookRow{Accepted: counted(b.Accepted), Queued: counted(b.Queued), Running: counted(b.Running), Done: counted(b.Done), Dead: counted(b.Dead), Cancelled: counted(b.Cancelled),
		Pruned: counted(b.Pruned), Miss: counted(b.Missing), Wrong: b.Missing != 0}
}
