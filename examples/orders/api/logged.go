package api

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/twicehq/twice"
)

// logged writes one line for each request, when it is answered.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		level := slog.LevelInfo
		if r.URL.Path == "/livez" && seen.status == http.StatusOK {
			level = slog.LevelDebug
		}
		twice.Logger(r.Context()).LogAttrs(r.Context(), level, "request answered", slog.String("method", r.Method),
			slog.String("path", cut(r.URL.Path)), slog.Int("status", seen.status), slog.Float64("took_s", time.Since(start).Seconds()))
	})
}

// cut bounds what a client's path may write into a log.
func cut(path string) string { return path[:min(len(path), 200)] }

// statusWriter notes the status.
type statusWriter struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (w *statusWriter) WriteHeader(status int) {
	if !w.begun {
		w.status, w.begun = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach what is beneath.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
