package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// plainly sets the headers that keep a browser from taking an answer for a page.
func plainly(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
}

var (
	requestIDs   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	traceparents = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

type requestKey struct{}

// identified gives the request an id: its own, where that is one, or a new one. With traceparent it travels into
// the jobs that the request makes.
func identified(w http.ResponseWriter, r *http.Request) *http.Request {
	id := r.Header.Get("X-Request-Id")
	if !requestIDs.MatchString(id) {
		id = rand.Text()
	}
	w.Header().Set("X-Request-Id", id)
	ctx := twice.WithRequestID(context.WithValue(r.Context(), requestKey{}, id), id)
	if trace := r.Header.Get("Traceparent"); traceparents.MatchString(trace) {
		ctx = twice.WithTraceparent(ctx, trace)
	}
	return r.WithContext(ctx)
}

func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestKey{}).(string)
	return id
}

// answer writes an answer that is no error.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, rt *route, v any) {
	status := rt.status[0]
	if own, ok := v.(statused); ok {
		status = own.status()
	}
	body, err := encode(v)
	if err != nil {
		s.fail(w, r, rt, &queue.Error{Op: rt.name, Reason: ErrInternal, Cause: err})
		return
	}
	write(w, status, body)
}

// fail writes an error, and logs it where the server is at fault.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, rt *route, err error) {
	f := faultOf(err)
	status := statusOf(err)
	if rt != nil && f.Op == "request" {
		f.Op = rt.name
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="twice"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	if status >= 500 && status != http.StatusNotImplemented {
		text := f.Detail
		var known *queue.Error
		if !errors.As(err, &known) {
			text = cut(err.Error(), 300)
		}
		s.cfg.Logger.WarnContext(r.Context(), "request failed", "request_id", requestID(r), "op", f.Op, "status", status, "reason", f.Reason, "error", text)
	}
	if status == http.StatusForbidden && rt != nil {
		s.cfg.Logger.InfoContext(r.Context(), "request refused", "request_id", requestID(r), "op", f.Op, "who", f.Subject)
	}
	body, _ := encode(Failure{f})
	write(w, status, body)
}

// told logs a change: who made it, what it was and how many it concerned.
func (s *Server) told(r *http.Request, c *call, answer any) {
	if !c.changes() {
		return
	}
	who := cmp.Or(c.by.Name, c.who.Name)
	attrs := []any{"request_id", requestID(r), "op", c.name, "who", who}
	switch v := answer.(type) {
	case Operation:
		attrs = append(attrs, "matched", v.Matched, "changed", v.Changed, "refused", v.Refused, "dry_run", v.DryRun, "operation", v.ID)
	case Receipts:
		attrs = append(attrs, "jobs", len(v.Receipts))
	case Receipt:
		attrs = append(attrs, "job_id", v.ID.String(), "status", v.Status.String())
	}
	s.cfg.Logger.InfoContext(r.Context(), "changed", attrs...)
}

func encode(v any) ([]byte, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have gone
}

func methodsOf(methods map[string]*route) string {
	names := slices.Sorted(maps.Keys(methods))
	if slices.Contains(names, http.MethodGet) {
		names = append(names, http.MethodHead)
	}
	return strings.Join(names, ", ")
}
