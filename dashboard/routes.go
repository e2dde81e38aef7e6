package dashboard

import (
	"net/http"
	"strings"
)

// page makes what is shown for a request. An error is shown in place of it.
type page func(v *visit) (view, error)

// routes gives every page its address. Whatever changes something is a change: its form at GET, carried out at POST.
func (d *Dashboard) routes() http.Handler {
	mux := http.NewServeMux()
	show := func(path string, p page) { mux.HandleFunc("GET "+d.cfg.Path+path, d.shown(p)) }
	change := func(path string, c change) {
		mux.HandleFunc("GET "+d.cfg.Path+path, d.shown(c.asked))
		mux.HandleFunc("POST "+d.cfg.Path+path, d.shown(c.made))
	}
	show("/{$}", overviewPage)
	show("/queues/{queue}", queuePage)
	change("/queues/{queue}/pause", pauseQueue)
	change("/queues/{queue}/resume", resumeQueue)
	show("/jobs", jobsPage)
	show("/jobs/{id}", jobPage)
	change("/jobs/{id}/cancel", cancelJob)
	change("/jobs/{id}/redrive", redriveJob)
	change("/jobs/{id}/discard", discardJob)
	change("/jobs/{id}/resolve", resolveJob)
	show("/dead", deadPage)
	show("/dead/group", groupPage)
	change("/dead/redrive", redriveDead)
	change("/dead/discard", discardDead)
	show("/operations/{id}", operationPage)
	change("/operations/{id}/stop", stopOperation)
	show("/schedules", schedulesPage)
	change("/schedules/{schedule}/pause", pauseSchedule)
	change("/schedules/{schedule}/resume", resumeSchedule)
	change("/schedules/{schedule}/run", runSchedule)
	show("/workers", workersPage)
	show("/audit", auditPage)
	show("/audit/books", booksPage)
	show("/engine", enginePage)
	mux.HandleFunc("GET "+d.cfg.Path+"/sign-in", d.askToken)
	mux.HandleFunc("POST "+d.cfg.Path+"/sign-in", d.signIn)
	mux.HandleFunc("POST "+d.cfg.Path+"/sign-out", d.signOut)
	mux.Handle("GET "+d.cfg.Path+"/assets/", http.StripPrefix(d.cfg.Path, served(assets)))
	if d.cfg.Path != "" {
		mux.HandleFunc("GET "+d.cfg.Path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, d.to(), http.StatusSeeOther) })
	}
	mux.HandleFunc(d.cfg.Path+"/", d.shown(noPage))
	return secured(mux)
}

// noPage answers what is at no other address, once the visitor is known.
func noPage(v *visit) (view, error) {
	t := &trouble{Title: "There is no such page", What: "Nothing is at " + visible(shorten(v.r.URL.Path, 100)) + ".", Remedy: "Begin at the overview.", status: http.StatusNotFound}
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		t.Title, t.status = "Nothing can be sent here", http.StatusMethodNotAllowed
	}
	return view{}, t
}

// ServeHTTP answers one request.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// local reports whether an address is a page of this dashboard, to go to after signing in.
func (d *Dashboard) local(next string) bool {
	return strings.HasPrefix(next, d.cfg.Path+"/") && !strings.HasPrefix(next, "//") && !strings.ContainsAny(next, "\\\r\n\t")
}
