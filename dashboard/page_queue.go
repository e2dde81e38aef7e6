package dashboard

import (
	"cmp"
	"context"
	"slices"

	"github.com/twicehq/twice/httpapi"
)

// queueBody is the body of the page of one queue.
type queueBody struct {
	card
	Finding *finding
	Unsaid  string
	Ended   string // chart, as JSON
	Pace    string
	AsOf    moment
	Kinds   []kindRow
	Of      int // jobs that the kinds were seen among
	Jobs    []jobRow
	All     string
	DeadAll string
	HasDead bool
	Workers []string
	Pause   string // where to pause or resume it; empty: it cannot be
	IsPause bool
	NoPause string
	Later   *trouble // of a part that could not be read
}

// kindRow is one kind among the latest jobs of a queue.
type kindRow struct {
	Name    string
	Href    string
	Queued  int
	Retry   int // of the queued: they have failed before
	Running int
	Done    int
	Dead    int
	Other   int
	Serving int // workers that take it
}

// kindsAmong is how many of the latest jobs the kinds are told by.
const kindsAmong = 100

func queuePage(v *visit) (view, error) {
	name := v.r.PathValue("queue")
	q, err := ask(v.ctx, func(c context.Context) (httpapi.Queue, error) { return v.api.Queue(c, name) })
	if err != nil {
		return view{Here: "Overview"}, err
	}
	s := sight{Queue: q, counted: true}
	b := queueBody{AsOf: v.at(q.AsOf), All: queryTo(v.d.to("jobs"), "queue", name), DeadAll: queryTo(v.d.to("dead"), "queue", name), HasDead: q.Dead > 0}
	if v.can("verdicts") {
		f, err := ask(v.ctx, func(c context.Context) (said httpapi.Verdicts, err error) {
			one, err := v.api.Verdict(c, name)
			said.Verdicts = append(said.Verdicts, one)
			return said, err
		})
		if err == nil {
			s.finding = &findings(f, v.now, v.d.cfg)[0]
		} else if missing(err) {
			b.Unsaid = "Nothing is said of this queue yet: it takes a few samples."
		} else {
			b.Unsaid = asTrouble(err).Title + ": the queue cannot be judged at the moment."
		}
	} else {
		b.Unsaid = "This server judges no queues: run twice serve for verdicts."
	}
	var workers []httpapi.Worker
	if v.can("presence") {
		workers, _, err = some(v.ctx, mostWorkers, v.api.Workers)
		b.Later = asTrouble(err)
	}
	serving := map[string]int{}
	for _, w := range workers {
		if slices.Contains(w.Queues, name) {
			here := 0
			for _, p := range w.Running {
				if p.Queue == name {
					here++
				}
			}
			s.slots.add(w, here)
			for _, k := range w.Kinds {
				if !w.Silent {
					serving[k]++
				}
			}
		}
	}
	v.d.history.add(name, sampleOf(q, v.now))
	b.card, b.Finding = v.card(s), s.finding
	all := v.d.history.of(name)
	_, _, ended := charts(all)
	b.Ended = asJSON(ended)
	if perSecond, known := throughput(all); known {
		b.Pace = trimmed(perSecond * 60)
	}
	jobs := blank(v.api.JobsPage)
	jobs.Queue, jobs.Limit = name, kindsAmong
	latest, err := ask(v.ctx, func(c context.Context) (httpapi.Jobs, error) { return v.api.JobsPage(c, jobs) })
	if err != nil {
		b.Later = asTrouble(err)
	}
	b.Of, b.Kinds = len(latest.Jobs), kindsOf(latest.Jobs, serving, func(kind string) string { return queryTo(v.d.to("jobs"), "queue", name, "kind", kind) })
	b.Jobs = v.jobRows(latest.Jobs[:min(10, len(latest.Jobs))])
	if b.IsPause = !q.Paused; v.can("pause") && v.mayChange() {
		b.Pause = v.d.to("queues", name, "pause")
		if q.Paused {
			b.Pause = v.d.to("queues", name, "resume")
		}
	} else if !v.can("pause") {
		b.NoPause = "This engine cannot pause a queue."
	}
	return view{page: "queue", Title: "Queue " + name, Here: "Overview", Live: v.self(), Body: b}, nil
}

// kindsOf counts jobs by kind, the most frequent first; kinds that are only served come last.
func kindsOf(jobs []httpapi.Job, serving map[string]int, href func(string) string) []kindRow {
	rows := map[string]*kindRow{}
	row := func(kind string) *kindRow {
		if rows[kind] == nil {
			rows[kind] = &kindRow{Name: kind, Href: href(kind), Serving: serving[kind]}
		}
		return rows[kind]
	}
	for _, j := range jobs {
		if j.Kind == "" { // it is forgotten but for its id
			continue
		}
		r := row(j.Kind)
		switch j.State.String() {
		case "queued":
			r.Queued++
			if j.Counts.Failures+j.Counts.Crashes > 0 {
				r.Retry++
			}
		case "running":
			r.Running++
		case "done":
			r.Done++
		case "dead":
			r.Dead++
		default:
			r.Other++
		}
	}
	all := make([]kindRow, 0, len(rows))
	for _, r := range rows {
		all = append(all, *r)
	}
	sum := func(r kindRow) int { return r.Queued + r.Running + r.Done + r.Dead + r.Other }
	slices.SortFunc(all, func(a, b kindRow) int { return cmp.Or(cmp.Compare(sum(b), sum(a)), cmp.Compare(a.Name, b.Name)) })
	return all
}
