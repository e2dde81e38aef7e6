package api

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/twicehq/twice"
)

// recovered answers a panic with a 500 and logs its stack, with the request's id.
func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v)
			}
			twice.Logger(r.Context()).ErrorContext(r.Context(), "request panicked", "error", fmt.Sprint(v), "stack", string(debug.Stack()))
			if seen, ok := w.(*statusWriter); !ok || !seen.begun {
				p := problemOf(nil)
				_ = writeJSON(w, p.status, map[string]*problem{"error": p})
			}
		}()
		next.ServeHTTP(w, r)
	})
}
