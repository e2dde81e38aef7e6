package dashboard

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// patience is how long a page waits for the API: one that comes late and says what is known is better than none.
const patience = 4 * time.Second

// visit is one request of one visitor who is known.
type visit struct {
	d      *Dashboard
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context
	api    *httpapi.Client
	token  string
	engine httpapi.Abilities
	now    time.Time
	part   bool // only the part that is live is asked for
}

// view is what a page shows. Body belongs to its template.
type view struct {
	page  string
	Title string
	Here  string // the entry of the menu
	Live  string // where the part that is live comes from; empty: nothing is
	// OwnHeading: the live part has the heading, since it changes with what is shown.
	OwnHeading bool
	// Recover: it is asked for again until it can be shown, and then whole.
	Recover bool
	// Every is how often: the dashboard's beat, unless that costs the engine too much.
	Every  time.Duration
	Body   any
	status int
	// What follows is filled in.
	Menu      []entry
	Who       string
	Role      string
	SignedIn  bool
	CanChange bool
	Notice    string
	Trouble   *trouble
	Now       moment
}

// entry is one of the menu.
type entry struct {
	Name, Href string
	Here       bool
}

// can reports whether the engine has an ability.
func (v *visit) can(ability string) bool {
	for _, a := range v.engine.Abilities {
		if a.Name == ability {
			return a.Has
		}
	}
	return false
}

// mayChange reports whether the visitor may change what the engine can.
func (v *visit) mayChange() bool { return v.engine.Role == "operator" }

func (v *visit) query(name string) string { return v.r.URL.Query().Get(name) }
func (v *visit) at(t time.Time) moment    { return momentOf(t, v.now, v.d.cfg.Zone) }

// self is the address of the page that is shown.
func (v *visit) self() string { return v.r.URL.RequestURI() }

// shown answers with a page, once the API has said who the visitor is.
func (d *Dashboard) shown(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		v := &visit{d: d, w: w, r: r, ctx: ctx, now: d.cfg.Now(), part: r.Header.Get("HX-Request") == "true", token: remembered(r, tokenCookie)}
		var err error
		if v.api, err = d.client(v.token, "", r); err != nil {
			v.token = ""
			v.api, _ = d.client("", "", r)
		}
		var shown view
		if v.engine, err = ask(ctx, v.api.Abilities); err == nil {
			d.host.Store(&r.Host)
			shown, err = p(v)
		}
		t := asTrouble(err)
		if t != nil && t.status == http.StatusUnauthorized {
			d.unknown(w, r, v.part)
			return
		}
		if t != nil {
			shown = view{page: "trouble", Title: t.Title, Here: shown.Here, OwnHeading: true, Trouble: t, status: t.status}
			if t.away() {
				t.Since = v.at(d.last.away(v.now))
			}
			if t.away() && r.Method == http.MethodGet {
				shown.Live, shown.Recover = v.self(), true
			}
		} else if v.part && r.Header.Get("X-Was") == "trouble" {
			w.Header().Set("HX-Refresh", "true")
		}
		if shown.page == "" { // it has answered by itself
			return
		}
		v.fill(&shown)
		d.write(w, r, shown)
	}
}

// fill adds what every page has.
func (v *visit) fill(s *view) {
	if s.Every == 0 {
		s.Every = v.d.beat
	}
	s.Who, s.Role, s.SignedIn, s.CanChange, s.Now = v.engine.You, v.engine.Role, v.token != "", v.mayChange(), v.at(v.now)
	if s.Who == "" {
		s.Who = remembered(v.r, nameCookie)
	}
	for _, e := range []entry{{Name: "Overview", Href: v.d.to()}, {Name: "Jobs", Href: v.d.to("jobs")}, {Name: "Dead letters", Href: v.d.to("dead")},
		{Name: "Schedules", Href: v.d.to("schedules")}, {Name: "Workers", Href: v.d.to("workers")}, {Name: "Audit", Href: v.d.to("audit")}, {Name: "Engine", Href: v.d.to("engine")}} {
		e.Here = e.Name == s.Here
		s.Menu = append(s.Menu, e)
	}
	if s.Notice = visible(shorten(remembered(v.r, noticeCookie), 500)); s.Notice != "" && !v.part {
		v.d.remember(v.w, v.r, noticeCookie, "", 0)
	}
}

// write makes the page, whole or only its live part, before anything of it is sent.
func (d *Dashboard) write(w http.ResponseWriter, r *http.Request, s view) {
	name, part := "layout", r.Header.Get("HX-Request") == "true"
	if part {
		name = "live"
	}
	var b bytes.Buffer
	if err := d.pages[s.page].ExecuteTemplate(&b, name, s); err != nil {
		d.cfg.Logger.ErrorContext(r.Context(), "page could not be made", "page", s.page, "error", err.Error())
		http.Error(w, "This page could not be made. The server's log says why; the others still work.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "HX-Request, Cookie")
	if s.status == 0 || part { // a part that tells of trouble is to be shown, too
		s.status = http.StatusOK
	}
	w.WriteHeader(s.status)
	_, _ = w.Write(b.Bytes()) // the visitor may have gone
}

func escaped(text string) string { return url.QueryEscape(text) }
