package dashboard

import "net/http"

// policy lets a page load what this server gives it, and nothing else; run no script that stands in the page; and be in
// nobody's frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// maxForm bounds a form's body, in bytes.
const maxForm = 64 << 10

// secured sets the headers of every answer, and refuses requests that a page of another site caused: changes of any
// kind, and reads that are not a person following a link.
func secured(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(foreign))
	next = origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			foreign(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}

func foreign(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "A page of another site made this request, so nothing was done. Open the dashboard itself and try it there.", http.StatusForbidden)
}
