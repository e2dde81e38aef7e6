package api

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/twicehq/twice"
)

var (
	requestID   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	traceparent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

// identified gives every request an id: the client's X-Request-Id where it is 1 to 128 of
// a-z A-Z 0-9 . _ -, else a new one. It is answered, stands in every line logged, and travels with the
// jobs that the request makes; so does a W3C traceparent.
func identified(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !requestID.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set("X-Request-Id", id)
		ctx := twice.WithRequestID(r.Context(), id)
		log := logger.With("request_id", id)
		if trace := r.Header.Get("Traceparent"); traceparent.MatchString(trace) {
			ctx = twice.WithTraceparent(ctx, trace)
			log = log.With("trace_id", trace[3:35])
		}
		next.ServeHTTP(w, r.WithContext(twice.WithLogger(ctx, log)))
	})
}
