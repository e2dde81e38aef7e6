package dashboard

import (
	"context"
	"net/http"

	"github.com/twicehq/twice/httpapi"
)

// groupBody is the body of the page of one group.
type groupBody struct {
	group
	Rows []jobRow
	More bool
}

// groupPage shows one group, with its newest jobs.
func groupPage(v *visit) (view, error) {
	signature := v.query("signature")
	if signature == noSignature {
		signature = ""
	}
	groups, err := v.groups(v.query("queue"), v.query("kind"), v.query("reason"), "")
	if err != nil {
		return view{Here: "Dead letters"}, err
	}
	for _, g := range groups.Groups {
		if g.Signature != signature || string(g.Reason) != v.query("reason") || g.Queue != v.query("queue") || g.Kind != v.query("kind") {
			continue
		}
		b := groupBody{group: v.group(g), More: g.Jobs > len(g.IDs)}
		var jobs []httpapi.Job
		for _, id := range g.IDs {
			if j, err := ask(v.ctx, func(c context.Context) (httpapi.Job, error) { return v.api.Job(c, id) }); err == nil {
				jobs = append(jobs, j)
			}
		}
		b.Rows = v.jobRows(jobs)
		return view{page: "group", Title: b.Jobs + " died the same way", Here: "Dead letters", Live: v.self(), Every: scanned, Body: b}, nil
	}
	return view{Here: "Dead letters"}, &trouble{Title: "No such dead letters", What: "No job lies dead this way (any more).", Why: "They may have been redriven or discarded meanwhile.",
		Remedy: "Go back to the page of dead letters.", status: http.StatusNotFound, word: "not_found"}
}
