package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// change is something that a person may do: first its form, which says what will happen, then the deed.
type change struct {
	here string
	form func(v *visit) (form, error)
	do   func(v *visit, given url.Values) (done, error)
}

// form asks for a reason, and for what else a change needs, and is its confirmation.
type form struct {
	Title  string
	Says   []string // what will happen
	Facts  []fact
	Post   string // where it goes
	Button string
	Danger bool
	Hidden []field
	Fields []field
	Back   string
	Cannot string // why nothing can be done; then there is no button
	// What follows is filled in.
	AskName bool
	Name    string
	Why     string
	Failed  *trouble
}

// field is one input of a form.
type field struct {
	Name, Label, Value, Help string
	Number                   bool
	Min, Max                 int
	Text                     bool // of several lines
	Choices                  []choice
}

type choice struct{ Value, Label string }

// done says what came of a change, and where to go on.
type done struct{ To, Says string }

// asked shows the form.
func (c change) asked(v *visit) (view, error) { return c.show(v, nil, nil) }

func (c change) show(v *visit, given url.Values, failed *trouble) (view, error) {
	if !v.mayChange() {
		return view{Here: c.here}, &trouble{Title: "You may look, and not change", What: "Your token is a viewer's.", Remedy: "Ask an operator, or sign in with an operator's token.", status: http.StatusForbidden, word: "forbidden"}
	}
	f, err := c.form(v)
	if err != nil {
		if failed == nil {
			return view{Here: c.here}, err
		}
		f = form{Title: "It was not done", Cannot: failed.Title, Back: v.d.to()}
	}
	f.AskName, f.Name, f.Why, f.Failed = v.engine.You == "", remembered(v.r, nameCookie), given.Get("why"), failed
	if f.Post == "" {
		f.Post = v.self()
	}
	if given.Get("who") != "" {
		f.Name = given.Get("who")
	}
	for i := range f.Fields {
		if given.Has(f.Fields[i].Name) {
			f.Fields[i].Value = given.Get(f.Fields[i].Name)
		}
	}
	s := view{page: "change", Title: f.Title, Here: c.here, Body: f}
	if failed != nil {
		s.status = failed.status
	}
	return s, nil
}

// made carries the change out and goes on to a page that tells so; or it shows the form again with what was wrong.
// Whether the visitor may do it is the API's to say, not the form's.
func (c change) made(v *visit) (view, error) {
	if err := v.r.ParseForm(); err != nil {
		return view{Here: c.here}, wrongInput("The form did not arrive whole, or is too large.", "Send it again, with less in it.")
	}
	given := v.r.PostForm
	who := ""
	if v.engine.You == "" {
		who = strings.TrimSpace(given.Get("who"))
	}
	var err error
	if v.api, err = v.d.client(v.token, who, v.r); err != nil {
		return view{Here: c.here}, troubleOf(err, nil)
	}
	d, err := c.do(v, given)
	if err != nil {
		t := asTrouble(err)
		if t.status == http.StatusUnauthorized || !v.mayChange() {
			return view{Here: c.here}, t
		}
		return c.show(v, given, t)
	}
	if who != "" {
		v.d.remember(v.w, v.r, nameCookie, shorten(who, 64), 90*24*time.Hour)
	}
	v.d.remember(v.w, v.r, noticeCookie, shorten(d.Says, 500), time.Minute)
	http.Redirect(v.w, v.r, d.To, http.StatusSeeOther)
	return view{}, nil
}

// why is the part of a change that names the person and the reason.
func (v *visit) why(given url.Values) httpapi.Why {
	w := httpapi.Why{Why: strings.TrimSpace(given.Get("why"))}
	if v.engine.You == "" {
		w.Who = strings.TrimSpace(given.Get("who"))
	}
	return w
}
