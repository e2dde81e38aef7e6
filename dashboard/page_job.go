package dashboard

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/twicehq/twice/httpapi"
)

// jobBody is the body of the page of one job.
type jobBody struct {
	ID          string
	Kind        string
	Queue       string
	QueueHref   string
	Key         string
	State       word
	Reason      string
	Whole       bool
	Facts       []fact
	Events      []event
	Effects     []effectRow
	NoLedger    bool
	Parent      string
	ParentHref  string
	Followers   []jobRow
	FollowNote  string
	Payload     string
	PayloadSize string
	PayloadCut  bool
	PayloadNote string
	Result      string
	Actions     []entry
	Progress    *progress
}

// effectRow is one effect of a job in the ledger.
type effectRow struct {
	Step   string
	State  word
	Result string
	Sent   moment
	Answer string
	At     moment
}

// progress is how far a handler says it has come.
type progress struct {
	Done, Total int
	Text        string
	Moved       moment
}

// Bounds of what a job's page shows.
const (
	payloadShown = 4 << 10 // characters
	resultShown  = 1 << 10
	followAmong  = 200
)

func jobPage(v *visit) (view, error) {
	id, err := named(v.r.PathValue("id"))
	if err != nil {
		return view{Here: "Jobs"}, wrongInput(visible(shorten(v.r.PathValue("id"), 60))+" is no job's id.", "An id has 32 hexadecimal digits. Look for a key on the page of jobs.")
	}
	j, err := ask(v.ctx, func(c context.Context) (httpapi.Job, error) { return v.api.Job(c, id.ID) })
	if missing(err) {
		return view{Here: "Jobs"}, &trouble{Title: "No such job", What: "Nothing is known of the job " + id.ID.String() + ".",
			Why: "Either there never was one, or it ended and was forgotten: this engine keeps ended jobs for " + lasts(secs(v.engine.UniqueForSeconds)) + ".", Remedy: "See that the id is right.", status: http.StatusNotFound, word: "not_found"}
	}
	if err != nil {
		return view{Here: "Jobs"}, err
	}
	b := v.jobBody(j)
	v.follow(&b, j)
	v.progressOf(&b, j)
	s := view{page: "job", Title: "Job " + b.ID[:8], Here: "Jobs", Body: b}
	if !j.State.Ended() || j.State.String() == "dead" {
		s.Live = v.self()
	}
	return s, nil
}

func (v *visit) jobBody(j httpapi.Job) jobBody {
	b := jobBody{ID: j.ID.String(), Kind: visible(j.Kind), Queue: visible(j.Queue), Key: visible(shorten(j.Key, 1024)), State: wordOf(states, j.State.String()), Whole: j.Whole,
		Events: timeline(j, v.now, v.at), NoLedger: !v.can("ledger")}
	if j.Queue != "" {
		b.QueueHref = v.d.to("queues", j.Queue)
	}
	if j.State.String() == "queued" && !j.RunAt.After(v.now) {
		b.State = word{"Due", ""}
	}
	if j.Reason != "" {
		b.Reason = textOf(reasons, string(j.Reason))
	}
	if !j.Parent.IsZero() {
		b.Parent, b.ParentHref = j.Parent.String(), v.d.to("jobs", j.Parent.String())
	}
	b.Facts = jobFacts(j, v.at)
	for _, e := range j.Effects {
		row := effectRow{Step: visible(e.Step), State: wordOf(effects, e.State), Result: visible(shorten(e.Result, resultShown)), Sent: v.at(e.FirstSentAt), At: v.at(e.AnsweredAt)}
		if e.AnsweredBy != "" {
			row.Answer = visible(e.AnsweredBy + ": " + e.AnsweredWhy)
		}
		if !v.mayChange() {
			row.Result = ""
		}
		b.Effects = append(b.Effects, row)
	}
	switch {
	case !v.mayChange():
		b.PayloadNote = "Only operators see what it holds."
	case !j.Whole:
		b.PayloadNote = "It is no longer kept."
	case j.PayloadBytes == 0:
		b.PayloadNote = "It is empty."
	default:
		b.Payload = visible(shorten(j.Payload, payloadShown))
		b.PayloadCut = utf8.RuneCountInString(j.Payload) > payloadShown
		b.Result = visible(shorten(j.Result, resultShown))
	}
	b.PayloadSize = size(j.PayloadBytes)
	if v.mayChange() && v.can("operate") {
		for _, can := range j.Can {
			if can == "resolve" && !v.can("ledger") {
				continue
			}
			b.Actions = append(b.Actions, entry{Name: strings.ToUpper(can[:1]) + can[1:] + "…", Href: v.d.to("jobs", b.ID, can), Here: can == "cancel" || can == "discard"})
		}
	}
	return b
}
