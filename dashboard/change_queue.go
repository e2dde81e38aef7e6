package dashboard

import (
	"context"
	"net/url"

	"github.com/twicehq/twice/httpapi"
)

var pauseQueue = change{here: "Overview",
	form: func(v *visit) (form, error) {
		name := v.r.PathValue("queue")
		f := form{Title: "Pause queue " + name, Button: "Pause it", Back: v.d.to("queues", name),
			Says: []string{"No further job of it begins. Jobs are still accepted, and those that run go on to their end."}}
		q, err := ask(v.ctx, func(c context.Context) (httpapi.Queue, error) { return v.api.Queue(c, name) })
		f.Facts = []fact{{Name: "Due now", Text: counts(q.Ready.N, q.Ready.More)}, {Name: "Running", Text: counted(q.Running)}}
		if q.Paused {
			f.Cannot = "It is paused already."
		}
		return f, err
	},
	do: func(v *visit, given url.Values) (done, error) {
		name := v.r.PathValue("queue")
		_, err := ask(v.ctx, func(c context.Context) (httpapi.Paused, error) {
			return v.api.PauseQueue(c, name, v.why(given).Why, false)
		})
		return done{v.d.to("queues", name), "Queue " + name + " is paused: no further job of it begins."}, err
	}}

var resumeQueue = change{here: "Overview",
	form: func(v *visit) (form, error) {
		name := v.r.PathValue("queue")
		f := form{Title: "Resume queue " + name, Button: "Resume it", Back: v.d.to("queues", name), Says: []string{"Its jobs begin again, those first that have been due longest."}}
		q, err := ask(v.ctx, func(c context.Context) (httpapi.Queue, error) { return v.api.Queue(c, name) })
		f.Facts = []fact{{Name: "Due now", Text: counts(q.Ready.N, q.Ready.More)}}
		if !q.OldestDue.IsZero() {
			f.Facts = append(f.Facts, fact{Name: "Oldest due for", Text: since(q.OldestDue, v.now)})
		}
		if err == nil && !q.Paused {
			f.Cannot = "It is not paused."
		}
		return f, err
	},
	do: func(v *visit, given url.Values) (done, error) {
		name := v.r.PathValue("queue")
		_, err := ask(v.ctx, func(c context.Context) (httpapi.Paused, error) { return v.api.ResumeQueue(c, name, v.why(given).Why) })
		return done{v.d.to("queues", name), "Queue " + name + " goes on."}, err
	}}
