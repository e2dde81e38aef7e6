package explore

import (
	"fmt"
	"strings"

	"github.com/twicehq/twice/proof/history"
)

// Report says what was explored, and the first thing that was wrong.
type Report struct {
	Rows  int // distinct rows that the store was brought to
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
func Rows(build Make, b Bounds) (Report, error) { return every(engines{build, b}) }

// Books does the same with a ledger that is a store of its own, and what it holds of one job.
func Books(build MakeLedger, b Bounds) (Report, error) { return every(ledgers{build, b}) }

// Protocol counts the rows that the protocol by itself allows within bounds: an engine that keeps it reaches as many.
func Protocol(b Bounds) int { return allowed(engines{bounds: b}) }

// ProtocolOfBooks does so for ledgers.
func ProtocolOfBooks(b Bounds) int { return allowed(ledgers{bounds: b}) }

func every[S comparable](sub subject[S]) (Report, error) {
	r := newRows(sub)
	report := Report{}
	for queue := []S{sub.start()}; len(queue) > 0 && report.Found == nil; queue = queue[1:] {
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

func allowed[S comparable](sub subject[S]) int {
	seen := map[S]bool{sub.start(): true}
	for queue := []S{sub.start()}; len(queue) > 0; queue = queue[1:] {
		for _, a := range sub.acts(queue[0]) {
			if _, s := sub.rule(queue[0], a); !seen[s] {
				seen[s] = true
				queue = append(queue, s)
			}
		}
	}
	return len(seen)
}

type rows[S comparable] struct {
	subject[S]
	trace map[S][]Act // to each row
	steps int
}

func newRows[S comparable](sub subject[S]) *rows[S] {
	return &rows[S]{subject: sub, trace: map[S][]Act{sub.start(): nil}}
}

// reach makes a store whose row is this.
func (r *rows[S]) reach(s S) (driven[S], error) {
	d, err := r.create()
	if err != nil {
		return nil, err
	}
	for _, a := range r.trace[s] {
		d.do(a)
	}
	return d, nil
}

// from tries every action on a row. What the protocol says changes nothing is tried one after the other on one store.
func (r *rows[S]) from(s S) (next []S, found *Finding, err error) {
	quiet, err := r.reach(s)
	if err != nil {
		return nil, nil, err
	}
	defer quiet.end()
	var tried []Act
	for _, a := range r.acts(s) {
		answer, want := r.rule(s, a)
		r.steps++
		if want == s {
			tried = append(tried, a)
			got := quiet.do(a)
			seen, err := quiet.look(s)
			if wrong := differs(r.subject, answer, got, r.plain(s), seen, err); wrong != "" {
				return nil, r.finding(s, []Act{a}, wrong), nil
			}
			continue
		}
		seen, wrong, err := r.try(s, a)
		if err != nil {
			return nil, nil, err
		}
		if wrong != "" {
			return nil, r.finding(s, []Act{a}, wrong), nil
		}
		if r.found(s, a, seen) {
			next = append(next, seen)
		}
	}
	seen, err := quiet.reveal(s)
	if wrong := differs(r.subject, history.OK, history.OK, s, seen, err); wrong != "" {
		return nil, r.finding(s, tried, wrong), nil
	}
	return next, nil, nil
}

// try does one thing on a store of its own, and says what is wrong with what comes of it.
func (r *rows[S]) try(s S, a Act) (seen S, wrong string, err error) {
	d, err := r.reach(s)
	if err != nil {
		return s, "", err
	}
	defer d.end()
	got := d.do(a)
	answer, want := r.rule(s, a)
	seen, err = d.reveal(want)
	if wrong = differs(r.subject, answer, got, want, seen, err); wrong == "" && want != s {
		wrong = r.breaks(s, seen, a)
	}
	return seen, wrong, nil
}

// found notes how a row is reached, and whether it is new.
func (r *rows[S]) found(from S, a Act, to S) bool {
	if _, known := r.trace[to]; known {
		return false
	}
	r.trace[to] = append(r.trace[from][:len(r.trace[from]):len(r.trace[from])], a)
	return true
}

func (r *rows[S]) finding(s S, last []Act, says string) *Finding {
	return &Finding{Trace: append(r.trace[s][:len(r.trace[s]):len(r.trace[s])], last...), Says: says}
}
