package dashboard

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/twicehq/twice/httpapi"
)

// jobForm looks the job up and begins the form of a change of it.
func jobForm(v *visit, can, title string) (form, httpapi.Job, error) {
	id, err := named(v.r.PathValue("id"))
	if err != nil {
		return form{}, id, wrongInput("That is no job's id.", "Begin at the page of jobs.")
	}
	j, err := ask(v.ctx, func(c context.Context) (httpapi.Job, error) { return v.api.Job(c, id.ID) })
	f := form{Title: title + " job " + id.ID.String()[:8], Back: v.d.to("jobs", id.ID.String())}
	f.Facts = []fact{{Name: "Kind", Text: visible(j.Kind)}, {Name: "Key", Text: visible(shorten(j.Key, 120))}, {Name: "State", Text: wordOf(states, j.State.String()).Text}}
	if err == nil && !slices.Contains(j.Can, can) {
		f.Cannot = "Its state does not allow that: it is " + lowered(wordOf(states, j.State.String()).Text) + "."
	}
	return f, j, err
}

// jobChange is a change of one job by its id.
func jobChange(can, title, says, button string, danger bool, do func(*visit) func(context.Context, httpapi.Change) (httpapi.Operation, error), told string) change {
	return change{here: "Jobs",
		form: func(v *visit) (form, error) {
			f, _, err := jobForm(v, can, title)
			f.Says, f.Button, f.Danger = []string{says}, button, danger
			return f, err
		},
		do: func(v *visit, given url.Values) (done, error) {
			id, err := named(v.r.PathValue("id"))
			if err != nil {
				return done{}, wrongInput("That is no job's id.", "Begin at the page of jobs.")
			}
			ch := httpapi.Change{Why: v.why(given)}
			ch.IDs = append(ch.IDs, id.ID)
			o, err := ask(v.ctx, func(c context.Context) (httpapi.Operation, error) { return do(v)(c, ch) })
			if err == nil && len(o.Refusals) > 0 {
				err = refused(o.Refusals[0])
			}
			return done{v.d.to("jobs", id.ID.String()), told}, err
		}}
}

// refused makes a trouble of a job that was not changed.
func refused(r httpapi.Refusal) *trouble {
	return troubleOf(r.Error.Err(), &note{status: 409, fault: &r.Error})
}

var (
	cancelJob = jobChange("cancel", "Cancel", "It will not run any more. If it runs now, its handler is told to stop, and what it has not done yet it can no longer do. This cannot be taken back.", "Cancel it", true,
		func(v *visit) func(context.Context, httpapi.Change) (httpapi.Operation, error) { return v.api.Cancel }, "The job is cancelled.")
	redriveJob = jobChange("redrive", "Redrive", "It goes back to its queue with fresh budgets. Effects that it has made already are not made again.", "Redrive it", false,
		func(v *visit) func(context.Context, httpapi.Change) (httpapi.Operation, error) { return v.api.Redrive }, "The job is back in its queue.")
	discardJob = jobChange("discard", "Discard", "It is given up for good, and ends cancelled. This cannot be taken back.", "Discard it", true,
		func(v *visit) func(context.Context, httpapi.Change) (httpapi.Operation, error) { return v.api.Discard }, "The job was given up.")
)

// resolveJob takes a person's word on an effect of which nobody could tell whether it happened.
var resolveJob = change{here: "Jobs",
	form: func(v *visit) (form, error) {
		f, j, err := jobForm(v, "resolve", "Answer a doubt of")
		f.Says = []string{"Nobody could tell whether an effect of this job happened. Find out at whoever would know, such as the payment provider, then answer here.",
			"With no doubt left the job runs again: an effect that happened is not made again, one that did not is made."}
		f.Button = "Answer"
		steps := field{Name: "step", Label: "Which effect"}
		for _, s := range j.Doubts {
			steps.Choices = append(steps.Choices, choice{s, visible(s)})
		}
		f.Fields = []field{steps, {Name: "happened", Label: "Did it happen?", Choices: []choice{{"", "Choose…"}, {"yes", "Yes, it happened"}, {"no", "No, it did not"}}},
			{Name: "result", Label: "What the handler would have recorded, as JSON (only if it happened; may be left out)", Text: true}}
		if err == nil && len(j.Doubts) == 0 {
			f.Cannot = "None of its effects is in doubt."
		}
		return f, err
	},
	do: func(v *visit, given url.Values) (done, error) {
		id, err := named(v.r.PathValue("id"))
		a := httpapi.Answer{Step: given.Get("step"), Happened: given.Get("happened") == "yes", Why: v.why(given)}
		result := strings.TrimSpace(given.Get("result"))
		switch {
		case err != nil:
			return done{}, wrongInput("That is no job's id.", "Begin at the page of jobs.")
		case given.Get("happened") != "yes" && given.Get("happened") != "no":
			return done{}, wrongInput("It does not say whether the effect happened.", "Choose yes or no.")
		case result != "" && !json.Valid([]byte(result)):
			return done{}, wrongInput("The result is no JSON.", "Write it as the handler would have recorded it, or leave it out.")
		case result != "":
			a.Result = json.RawMessage(result)
		}
		r, err := ask(v.ctx, func(c context.Context) (httpapi.Resolved, error) { return v.api.Resolve(c, id.ID, a) })
		says := "The doubt is answered: the job runs again."
		if !r.Redriven {
			says = "The doubt is answered; " + counted(len(r.Left)) + " left."
		}
		return done{v.d.to("jobs", id.ID.String()), says}, err
	}}
