package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// schedule finds one entry by its name.
func (v *visit) schedule(name string) (httpapi.Schedule, error) {
	all, _, err := some(v.ctx, mostSchedules, v.api.Schedules)
	if err != nil {
		return httpapi.Schedule{}, err
	}
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
	}
	return httpapi.Schedule{}, &trouble{Title: "No such schedule", What: "No entry is called " + visible(shorten(name, 80)) + ".", Remedy: "Go back to the schedules.", status: http.StatusNotFound, word: "not_found"}
}

func scheduleForm(v *visit, title string) (form, httpapi.Schedule, error) {
	e, err := v.schedule(v.r.PathValue("schedule"))
	f := form{Title: title + " " + visible(e.Name), Back: v.d.to("schedules"), Facts: []fact{{Name: "Kind", Text: visible(e.Kind)}, {Name: "Spec", Text: visible(e.Spec + " in " + e.Zone)}}}
	if next := v.at(e.Next); next.ISO != "" {
		f.Facts = append(f.Facts, fact{Name: "Next fire", Text: next.Exact, Note: next.Ago})
	}
	return f, e, err
}

var pauseSchedule = change{here: "Schedules",
	form: func(v *visit) (form, error) {
		f, e, err := scheduleForm(v, "Pause schedule")
		f.Says, f.Button = []string{"It does not fire until it is resumed. Jobs that it has made are not touched."}, "Pause it"
		if e.Paused {
			f.Cannot = "It is paused already."
		}
		return f, err
	},
	do: func(v *visit, given url.Values) (done, error) {
		name := v.r.PathValue("schedule")
		_, err := ask(v.ctx, func(c context.Context) (httpapi.Paused, error) { return v.api.PauseSchedule(c, name, v.why(given).Why) })
		return done{v.d.to("schedules"), "Schedule " + name + " is paused."}, err
	}}

var resumeSchedule = change{here: "Schedules",
	form: func(v *visit) (form, error) {
		f, e, err := scheduleForm(v, "Resume schedule")
		f.Says, f.Button = []string{"It fires again from its next instant on."}, "Resume it"
		if err == nil && !e.Paused {
			f.Cannot = "It is not paused."
		}
		return f, err
	},
	do: func(v *visit, given url.Values) (done, error) {
		name := v.r.PathValue("schedule")
		_, err := ask(v.ctx, func(c context.Context) (httpapi.Paused, error) {
			return v.api.ResumeSchedule(c, name, v.why(given).Why)
		})
		return done{v.d.to("schedules"), "Schedule " + name + " goes on."}, err
	}}

// runSchedule names the run when its form is shown, so that sending it twice is one run.
var runSchedule = change{here: "Schedules",
	form: func(v *visit) (form, error) {
		f, _, err := scheduleForm(v, "Run")
		f.Says, f.Button = []string{"Its job is made now, beside the schedule, which goes on as it was."}, "Run it now"
		f.Hidden = []field{{Name: "at", Value: v.now.UTC().Format(time.RFC3339)}}
		f.Fields = []field{{Name: "args", Label: "Arguments for the job, as JSON", Value: "{}", Text: true, Help: "{} where its kind takes none."}}
		return f, err
	},
	do: func(v *visit, given url.Values) (done, error) {
		name := v.r.PathValue("schedule")
		at, err := time.Parse(time.RFC3339, given.Get("at"))
		args := strings.TrimSpace(given.Get("args"))
		switch {
		case err != nil:
			return done{}, wrongInput("The form does not say which run it is.", "Open it anew.")
		case !json.Valid([]byte(args)):
			return done{}, wrongInput("The arguments are no JSON.", "Write {} where the kind takes none.")
		}
		r, err := ask(v.ctx, func(c context.Context) (httpapi.Receipt, error) {
			return v.api.RunSchedule(c, name, httpapi.ScheduleRun{At: at, Args: json.RawMessage(args), Why: v.why(given)})
		})
		return done{v.d.to("jobs", r.ID.String()), "The job of schedule " + name + " is made: this is it."}, err
	}}
