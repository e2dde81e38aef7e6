package dashboard

import (
	"context"
	"net/url"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// operationRow is a change of many jobs that runs in the background, or ran.
type operationRow struct {
	ID, Href  string
	What      string
	State     word
	By, Why   string
	Done      int
	Matched   int
	Text      string
	Started   moment
	Ended     moment
	Took      string
	Rate      string
	Refused   int
	Refusals  []refusalRow
	InDoubt   int
	More      bool
	Same      string
	Because   string
	StoppedBy string
	Failed    *trouble
	Running   bool
	Stop      string
}

type refusalRow struct{ Name, Href, Why, Remedy string }

var operationStates = map[string]word{"running": {"Under way", ""}, "done": {"Done", "good"}, "stopped": {"Stopped", "warn"}, "failed": {"Failed", "bad"}}

func (v *visit) operationRow(o httpapi.Operation) operationRow {
	r := operationRow{ID: o.ID, Href: v.d.to("operations", o.ID), What: textOf(map[string]string{"redrive": "Redrive", "discard": "Discard", "cancel": "Cancel"}, o.What), State: wordOf(operationStates, string(o.State)),
		By: visible(o.By), Why: visible(shorten(o.Why, 500)), Done: o.Changed + o.Refused, Matched: o.Matched, Started: v.at(o.StartedAt), Ended: v.at(o.EndedAt), Refused: o.Refused, InDoubt: o.InDoubt, More: o.More,
		Because: visible(o.Because), StoppedBy: visible(o.StoppedBy), Running: o.State == httpapi.OperationRunning}
	r.Text = counted(o.Changed) + " of " + noun(o.Matched, "job")
	if o.PerSecond > 0 {
		r.Rate = "at most " + counted(o.PerSecond) + " a second"
	}
	if o.Judged > 0 {
		r.Same = counted(o.Same) + " of the " + counted(o.Judged) + " looked at again failed the same way"
	}
	if o.Error != nil {
		r.Failed = troubleOf(o.Error.Err(), &note{status: 500, fault: o.Error})
	}
	for _, x := range o.Refusals[:min(20, len(o.Refusals))] {
		r.Refusals = append(r.Refusals, refusalRow{x.ID.String()[:8], v.d.to("jobs", x.ID.String()), sentence(visible(x.Error.Detail)), sentence(visible(x.Error.Remedy))})
	}
	end := o.EndedAt
	if end.IsZero() {
		end = v.now
	}
	if !o.StartedAt.IsZero() {
		r.Took = lasts(max(0, end.Sub(o.StartedAt)).Round(100 * time.Millisecond))
	}
	if r.Running && v.mayChange() {
		r.Stop = v.d.to("operations", o.ID, "stop")
	}
	return r
}

func operationPage(v *visit) (view, error) {
	o, err := ask(v.ctx, func(c context.Context) (httpapi.Operation, error) { return v.api.Operation(c, v.r.PathValue("id")) })
	if err != nil {
		return view{Here: "Dead letters"}, err
	}
	r := v.operationRow(o)
	s := view{page: "operation", Title: r.What + ": " + lowered(r.State.Text), Here: "Dead letters", OwnHeading: true, Body: r}
	if r.Running {
		s.Live = v.self()
	}
	return s, nil
}

var stopOperation = change{here: "Dead letters",
	form: func(v *visit) (form, error) {
		id := v.r.PathValue("id")
		f := form{Title: "Stop the operation", Button: "Stop it", Danger: true, Back: v.d.to("operations", id), Says: []string{"It ends after the part that is under way. What it has changed stays changed."}}
		o, err := ask(v.ctx, func(c context.Context) (httpapi.Operation, error) { return v.api.Operation(c, id) })
		if err == nil && o.State != httpapi.OperationRunning {
			f.Cannot = "It has ended already."
		}
		f.Facts = []fact{{Name: "So far", Text: counted(o.Changed) + " of " + noun(o.Matched, "job")}}
		return f, err
	},
	do: func(v *visit, given url.Values) (done, error) {
		id := v.r.PathValue("id")
		_, err := ask(v.ctx, func(c context.Context) (httpapi.Operation, error) {
			return v.api.StopOperation(c, id, v.why(given).Why)
		})
		return done{v.d.to("operations", id), "It ends after the part that is under way."}, err
	}}
