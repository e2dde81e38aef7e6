package explore

import (
	"fmt"
	"strings"

	"github.com/twicehq/twice/proof/history"
)

// Report says what was explored, and the first thing that was wrong.
type Report struct {
	Rows  int // distinct rows that the engine was brought to
	Steps int // actions tried on them
	Found *Finding
}

// Finding is a shortest trace to something that the protocol forbids.
type Finding struct {
	Trace []Act
	Says  string
}

// String tells it step by step.
func (f *Finding) String() string {
	if f == nil {
		return "nothing was found"
	}
	var text strings.Builder
	for i, a := range f.Trace {
		fmt.Fprintf(&text, "%d. %s\n", i+1, a)
	}
	fmt.Fprintf(&text, "=> %s", f.Says)
	return text.String()
}

// Rows brings an engine to every row that it can be brought to within bounds, breadth first, and tries every action
// there. It ends at the first answer or row that is not the protocol's. An error means that no engine could be made.
func Rows(build Make, b Bounds) (Report, error) {
	r := rows{make: build, bounds: b, trace: map[history.Job][]Act{{}: nil}}
	report := Report{}
	for queue := []history.Job{{}}; len(queue) > 0 && report.Found == nil; queue = queue[1:] {
		next, found, err := r.from(queue[0])
		if err != nil {
			return report, err
		}
		report.Found = found
		queue = append(queue, next...)
	}
	report.Rows, report.Steps = len(r.trace), r.steps
	return report, nil
}

// Protocol counts the rows that the protocol by itself allows within bounds: an engine that keeps it reaches as many.
func Protocol(b Bounds) int {
	seen := map[history.Job]bool{{}: true}
	for queue := []history.Job{{}}; len(queue) > 0; queue = queue[1:] {
		for _, a := range acts(queue[0], b) {
			if _, j := rule(queue[0], a, b); !seen[j] {
				seen[j] = true
				queue = append(queue, j)
			}
		}
	}
	return len(seen)
}

type rows struct {
	make   Make
	bounds Bounds
	trace  map[history.Job][]Act // to each row
	steps  int
}

// reach makes an engine whose row is this.
func (r *rows) reach(j history.Job) (*world, error) {
	w, err := newWorld(r.make, r.bounds)
	if err != nil {
		return nil, err
	}
	for _, a := range r.trace[j] {
		w.do(a)
	}
	return w, nil
}

// from tries every action on a row. What the protocol says changes nothing is tried one after the other on one engine.
func (r *rows) from(j history.Job) (next []history.Job, found *Finding, err error) {
	quiet, err := r.reach(j)
	if err != nil {
		return nil, nil, err
	}
	defer quiet.end()
	var tried []Act
	for _, a := range acts(j, r.bounds) {
		answer, want := rule(j, a, r.bounds)
		r.steps++
		if want == j {
			tried = append(tried, a)
			got := quiet.do(a)
			same := j
			same.Lease, same.Last = "", history.End{}
			seen, err := quiet.look(j.Token)
			if wrong := differs(answer, got, same, seen, err); wrong != "" {
				return nil, r.finding(j, []Act{a}, wrong), nil
			}
			continue
		}
		w, err := r.reach(j)
		if err != nil {
			return nil, nil, err
		}
		got := w.do(a)
		seen, err := w.reveal(want.Token)
		w.end()
		if wrong := differs(answer, got, want, seen, err); wrong != "" {
			return nil, r.finding(j, []Act{a}, wrong), nil
		}
		if broken := invariants(j, seen, a); broken != "" {
			return nil, r.finding(j, []Act{a}, broken), nil
		}
		if _, known := r.trace[seen]; !known {
			r.trace[seen] = append(r.trace[j][:len(r.trace[j]):len(r.trace[j])], a)
			next = append(next, seen)
		}
	}
	seen, err := quiet.reveal(j.Token)
	if wrong := differs(history.OK, history.OK, j, seen, err); wrong != "" {
		return nil, r.finding(j, tried, wrong), nil
	}
	return next, nil, nil
}

func (r *rows) finding(j history.Job, last []Act, says string) *Finding {
	return &Finding{Trace: append(r.trace[j][:len(r.trace[j]):len(r.trace[j])], last...), Says: says}
}
