package dashboard

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// Cookies, all for this dashboard's path, for this site only and out of scripts' reach.
const (
	tokenCookie  = "twice_token"
	nameCookie   = "twice_name"   // who makes changes, where the API has no tokens
	noticeCookie = "twice_notice" // what a change did, until the next page tells it
)

// remember sets a cookie; no text takes it away. Without a length of time it ends with the browser.
func (d *Dashboard) remember(w http.ResponseWriter, r *http.Request, name, text string, long time.Duration) {
	c := &http.Cookie{Name: name, Value: base64.RawURLEncoding.EncodeToString([]byte(text)), Path: d.cfg.Path + "/", MaxAge: int(long / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: d.cfg.Secure || r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")}
	if text == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// remembered gives what a cookie holds; empty where there is none, or it is not ours.
func remembered(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return ""
	}
	return string(text)
}

// signing is what the sign-in page shows.
type signing struct {
	Next string
	Bad  string // what was wrong with the token
}

func (d *Dashboard) askToken(w http.ResponseWriter, r *http.Request) {
	d.signingPage(w, r, http.StatusOK, signing{Next: r.URL.Query().Get("next")})
}

func (d *Dashboard) signingPage(w http.ResponseWriter, r *http.Request, status int, s signing) {
	if !d.local(s.Next) {
		s.Next = d.to()
	}
	d.write(w, r, view{page: "signin", Title: "Sign in", status: status, Body: s})
}

// signIn takes a token, if the API knows it. What is wrong with it is told without repeating it.
func (d *Dashboard) signIn(w http.ResponseWriter, r *http.Request) {
	token, next := strings.TrimSpace(r.PostFormValue("token")), r.PostFormValue("next")
	bad := "That token is not known here. Give it exactly as it was given to you."
	if client, err := d.client(token, "", r); err == nil && token != "" {
		_, err := ask(r.Context(), client.Abilities)
		if err == nil {
			d.remember(w, r, tokenCookie, token, 0)
			if !d.local(next) {
				next = d.to()
			}
			http.Redirect(w, r, next, http.StatusSeeOther)
			return
		}
		if t := asTrouble(err); t.status != http.StatusUnauthorized {
			bad = t.Title + ". " + t.Remedy
		}
	}
	d.signingPage(w, r, http.StatusUnauthorized, signing{next, bad})
}

func (d *Dashboard) signOut(w http.ResponseWriter, r *http.Request) {
	d.remember(w, r, tokenCookie, "", 0)
	d.remember(w, r, nameCookie, "", 0)
	http.Redirect(w, r, d.to("sign-in"), http.StatusSeeOther)
}

// unknown answers a visitor whose token is missing or no longer known. Somebody who followed a link on another site comes
// without cookies the first time, since they are for this site only: he is sent here once more, from here.
func (d *Dashboard) unknown(w http.ResponseWriter, r *http.Request, part bool) {
	switch {
	case part:
		w.Header().Set("HX-Refresh", "true")
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site":
		d.write(w, r, view{page: "onward", Title: "One moment", status: http.StatusOK, Body: r.URL.RequestURI()})
	case r.Method == http.MethodGet:
		http.Redirect(w, r, d.to("sign-in")+"?next="+escaped(r.URL.RequestURI()), http.StatusSeeOther)
	default:
		d.signingPage(w, r, http.StatusUnauthorized, signing{Bad: "You were signed out meanwhile; nothing was changed."})
	}
}
