package dashboard

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// deadBody is the body of the page of dead letters.
type deadBody struct {
	Queue, Kind, Reason string
	Reasons             []choice
	Groups              []group
	Scanned             int
	Other               int
	Later               string
	First               string
	Operations          []operationRow
	Redrive             string // all that the filter selects; empty: it cannot be
	Discard             string
	Filtered            bool
	Cannot              string
}

// group is dead jobs that died of the same.
type group struct {
	Queue, Kind  string
	Reason       string
	Signature    string
	Error        string
	Jobs         string
	First, Last  moment
	Href         string
	Sample       []entry
	Redrive      string
	Discard      string
	Doubt        bool
	QueueHref    string
	ListHref     string
	NoneRecorded bool
}

// scanned is how often a page is brought up to date that makes the engine go through its dead letters.
const scanned = 15 * time.Second

// deadReasons are those of a filter.
var deadReasons = []string{"failures", "crashes", "interruptions", "snoozes", "buried", "undecodable", "deadline", "in_doubt"}

func deadPage(v *visit) (view, error) {
	b := deadBody{Queue: strings.TrimSpace(v.query("queue")), Kind: strings.TrimSpace(v.query("kind")), Reason: v.query("reason")}
	for _, r := range deadReasons {
		b.Reasons = append(b.Reasons, choice{r, titled(reasons[r])})
	}
	b.Filtered = b.Queue != "" || b.Kind != "" || b.Reason != ""
	s := view{page: "dead", Title: "Dead letters", Here: "Dead letters"}
	groups, err := v.groups(b.Queue, b.Kind, b.Reason, v.query("cursor"))
	if t := asTrouble(err); t != nil {
		if t.status == http.StatusUnauthorized {
			return s, t
		}
		s.Trouble, s.status = t, t.status
	}
	b.Scanned, b.Other = groups.Scanned, groups.Other
	filter := []string{"queue", b.Queue, "kind", b.Kind, "reason", b.Reason}
	if groups.Next != "" {
		b.Later = queryTo(v.d.to("dead"), append(filter[:6:6], "cursor", groups.Next)...)
	}
	if v.query("cursor") != "" {
		b.First = queryTo(v.d.to("dead"), filter...)
	}
	for _, g := range groups.Groups {
		b.Groups = append(b.Groups, v.group(g))
	}
	if len(b.Groups) > 0 && v.mayChange() && v.can("operate") {
		if b.Reason != "in_doubt" {
			b.Redrive = queryTo(v.d.to("dead", "redrive"), filter...)
		}
		b.Discard = queryTo(v.d.to("dead", "discard"), filter...)
	}
	if !v.can("operate") {
		b.Cannot = "This engine cannot redrive or discard."
	}
	if all, err := ask(v.ctx, v.api.Operations); err == nil {
		for _, o := range all[:min(len(all), 10)] {
			b.Operations = append(b.Operations, v.operationRow(o))
		}
	}
	if s.Trouble == nil && b.First == "" {
		s.Live, s.Every = v.self(), scanned
	}
	s.Body = b
	return s, nil
}

func (v *visit) groups(queue, kind, reason, cursor string) (httpapi.DeadGroups, error) {
	q := blank(v.api.JobsPage)
	q.Queue, q.Kind, q.Cursor = queue, kind, cursor
	put(&q.Reason, reason)
	return ask(v.ctx, func(c context.Context) (httpapi.DeadGroups, error) { return v.api.DeadGroups(c, q, 0) })
}

func (v *visit) group(g httpapi.DeadGroup) group {
	word := string(g.Reason)
	filter := []string{"queue", g.Queue, "kind", g.Kind, "reason", word, "signature", g.Signature}
	if g.Signature == "" {
		filter[7] = noSignature
	}
	one := group{Queue: visible(g.Queue), Kind: visible(g.Kind), Reason: titled(textOf(reasons, word)), Signature: visible(g.Signature), Error: visible(shorten(g.Error, 400)), Jobs: noun(g.Jobs, "job"),
		First: v.at(g.First), Last: v.at(g.Last), Href: queryTo(v.d.to("dead", "group"), filter...), Doubt: word == "in_doubt", QueueHref: v.d.to("queues", g.Queue),
		ListHref: queryTo(v.d.to("jobs"), "state", "dead", "queue", g.Queue, "kind", g.Kind, "reason", word), NoneRecorded: g.Error == ""}
	for _, id := range g.IDs[:min(3, len(g.IDs))] {
		one.Sample = append(one.Sample, entry{Name: id.String()[:8], Href: v.d.to("jobs", id.String())})
	}
	if v.mayChange() && v.can("operate") {
		if !one.Doubt {
			one.Redrive = queryTo(v.d.to("dead", "redrive"), filter...)
		}
		one.Discard = queryTo(v.d.to("dead", "discard"), filter...)
	}
	return one
}

// noSignature stands in an address for the signature of jobs that died without an error: one that is left out means any.
const noSignature = "-none-"
