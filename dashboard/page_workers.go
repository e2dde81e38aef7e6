package dashboard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/twicehq/twice/httpapi"
)

type workersBody struct {
	Workers []workerRow
	Sum     slots
	More    bool
	Lacks   string
}

type workerRow struct {
	Name    string
	Where   string
	State   word
	Slots   string
	Marks   []string // one a slot: busy, deaf or free; none where there are too many to draw
	Queues  string
	Kinds   string
	Polled  moment
	Seen    moment
	Started moment
	Running []runningRow
	Rest    int
}

type runningRow struct {
	Job, Href string
	Kind      string
	Attempt   string
	Since     moment
	Long      string
	Progress  *progress
}

// Bounds of what the page of workers draws.
const (
	workersShown = 200
	runningShown = 50
	slotsDrawn   = 64
)

func workersPage(v *visit) (view, error) {
	s := view{page: "workers", Title: "Workers", Here: "Workers"}
	if !v.can("presence") {
		s.Body = workersBody{Lacks: "This engine cannot tell which workers live. Look at their own health checks and metrics."}
		return s, nil
	}
	all, more, err := some(v.ctx, mostWorkers, v.api.Workers)
	if err != nil {
		return s, err
	}
	b := workersBody{More: more || len(all) > workersShown}
	slices.SortStableFunc(all, func(a, b httpapi.Worker) int { return cmp.Compare(rankOf(b), rankOf(a)) })
	for _, w := range all {
		b.Sum.add(w, 0)
	}
	for _, w := range all[:min(workersShown, len(all))] {
		b.Workers = append(b.Workers, v.workerRow(w))
	}
	s.Body, s.Live = b, v.self()
	return s, nil
}

// rankOf puts workers first that somebody should look at.
func rankOf(w httpapi.Worker) int {
	switch {
	case w.Silent:
		return 2
	case w.Deaf > 0:
		return 1
	}
	return 0
}

func (v *visit) workerRow(w httpapi.Worker) workerRow {
	r := workerRow{Name: visible(w.Name), Polled: v.at(w.LastPoll), Seen: v.at(w.SeenAt), Started: v.at(w.Started), Queues: listed(w.Queues, 12), Kinds: listed(w.Kinds, 20), State: word{"Live", "good"}}
	if w.Host != "" {
		r.Where = visible(w.Host) + ", process " + strconv.Itoa(w.PID)
	}
	if w.Version != "" {
		r.Where = strings.TrimPrefix(r.Where+", version "+visible(w.Version), ", ")
	}
	total, busy, deaf := max(0, w.Slots), max(0, w.Busy), max(0, w.Deaf)
	free := max(0, total-busy-deaf)
	switch {
	case w.Silent:
		r.State = word{"Silent", "bad"}
	case deaf > 0:
		r.State = word{"Has deaf slots", "warn"}
	case free == 0:
		r.State = word{"All slots busy", ""}
	}
	r.Slots = counted(busy) + " busy, " + counted(free) + " free"
	if deaf > 0 {
		r.Slots += ", " + counted(deaf) + " deaf"
	}
	if total <= slotsDrawn && busy+deaf+free <= slotsDrawn {
		r.Marks = slices.Concat(slices.Repeat([]string{"busy"}, busy), slices.Repeat([]string{"deaf"}, deaf), slices.Repeat([]string{"free"}, free))
	}
	for _, p := range w.Running[:min(runningShown, len(w.Running))] {
		one := runningRow{Job: p.Job.String()[:8], Href: v.d.to("jobs", p.Job.String()), Kind: visible(p.Kind), Attempt: counted(p.Attempt), Since: v.at(p.Since), Long: "–", Progress: v.progress(p)}
		if !p.Since.IsZero() {
			one.Long = lasts(max(0, v.now.Sub(p.Since)))
		}
		r.Running = append(r.Running, one)
	}
	r.Rest = len(w.Running) - len(r.Running)
	return r
}

// listed names some of many.
func listed(names []string, most int) string {
	var shown []string
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, visible(n))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += " and " + counted(more) + " more"
	}
	return text
}
