package proof

import (
	"fmt"
	"time"

	"github.com/twicehq/twice/proof/internal/diff"
)

// Run explores a case, and reports. It fails only where the case itself cannot be run; a handler that is not safe is in
// the report. It takes no longer than Case.Limits allow, one schedule, and at most 500 more that tell a failure in fewer steps.
func Run[T, W any](c Case[T, W]) (Report, error) {
	p, err := c.plan()
	if err != nil {
		return Report{}, err
	}
	return p.run(), nil
}

func (p *plan) run() (report Report) {
	report.Kind = p.rules.Kind
	began := time.Now()
	defer func() { report.Took = time.Since(began) }()
	reference := p.try(schedule{{}}, nil)
	if reference.problem != nil {
		report.Failure = p.failure(reference, reference)
		return report
	}
	report.Points = len(reference.points[0])
	for _, at := range reference.points[0] {
		report.Places = append(report.Places, at.String())
	}
	if again := p.try(schedule{{}}, nil); again.problem != nil || len(diff.Of(reference.world, again.world)) > 0 {
		report.Failure = p.failure(again, reference)
		return report
	}
	if report.Points == 1 {
		report.note("the handler made no outside call that is seen: what it reaches of the world must go through proof.Outside, proof.Call or proof.Point.")
	}
	if len(p.replay) > 0 {
		r := p.try(p.replay, reference)
		report.Explored, report.Replayed = 1, r.lines()
		if !r.fired {
			report.note("the schedule did not come to all of its points: the handler is another one than it was when it was printed.")
		}
		if r.broken(reference) != "" {
			report.Failure = p.failure(r, reference)
		} else {
			report.Safe = true
		}
		return report
	}
	e := &explorer{plan: p, reference: reference, report: &report, began: began}
	e.explore()
	if e.broken != nil {
		shortest, _ := p.shrink(e.broken, reference)
		report.Failure = p.failure(shortest, reference)
		return report
	}
	report.Safe = true
	return report
}

func (r *Report) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, n := range r.Notes {
		if n == text {
			return
		}
	}
	r.Notes = append(r.Notes, text)
}
