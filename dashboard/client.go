package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/twicehq/twice/httpapi"
)

// client makes a client that calls the API's handler in this process, as the holder of token or, where the API has no
// tokens, as who. r is the visitor's request, or nil: its host is passed on, so that the API can refuse one that is not
// its own.
func (d *Dashboard) client(token, who string, r *http.Request) (*httpapi.Client, error) {
	carrier := inProcess{api: d.api, host: "localhost"}
	if host := d.host.Load(); host != nil {
		carrier.host = *host
	}
	if r != nil {
		carrier.host, carrier.request = r.Host, r.Header.Get("X-Request-Id")
	}
	return httpapi.NewClient("http://localhost", httpapi.ClientConfig{Token: token, Who: who, HTTP: &http.Client{Transport: carrier}})
}

// inProcess carries a request to a handler without a network.
type inProcess struct {
	api           http.Handler
	host, request string
}

// RoundTrip answers as the handler does. What went wrong is put down in the context's note: see ask.
func (p inProcess) RoundTrip(r *http.Request) (response *http.Response, err error) {
	r = r.Clone(r.Context())
	r.Host, r.RequestURI = p.host, r.URL.RequestURI()
	if p.request != "" {
		r.Header.Set("X-Request-Id", p.request)
	}
	roomy(r)
	a := &answer{header: http.Header{}, status: http.StatusOK}
	defer func() {
		if v := recover(); v != nil {
			response, err = nil, fmt.Errorf("the API's handler panicked: %T", v)
		}
	}()
	p.api.ServeHTTP(a, r)
	if n, ok := r.Context().Value(noteKey{}).(*note); ok && a.status >= 400 {
		var f httpapi.Failure
		if json.Unmarshal(a.body.Bytes(), &f) == nil && f.Error.Reason != "" {
			n.status, n.fault = a.status, &f.Error
		}
	}
	return &http.Response{Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r}, nil
}

// roomy asks for a list in one part where the client asks for it in many: each part costs the engine a read of all.
func roomy(r *http.Request) {
	switch strings.TrimPrefix(r.URL.Path, "/api/v1/") {
	case "queues", "verdicts", "workers", "schedules":
		if q := r.URL.Query(); r.Method == http.MethodGet && !q.Has("limit") {
			q.Set("limit", "1000")
			r.URL.RawQuery = q.Encode()
		}
	}
}

// answer is what a handler answered.
type answer struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if !a.wrote && status >= 200 {
		a.status, a.wrote = status, true
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.wrote = true
	return a.body.Write(b)
}

// note keeps what the API said was wrong, as it said it.
type note struct {
	status int
	fault  *httpapi.Fault
}

type noteKey struct{}

// ask calls the API. The error is a *trouble, which says what to tell the visitor.
func ask[A any](ctx context.Context, do func(context.Context) (A, error)) (A, error) {
	n := &note{}
	a, err := do(context.WithValue(ctx, noteKey{}, n))
	if err != nil {
		return a, troubleOf(err, n)
	}
	return a, nil
}

// some asks for a list, and stops after most of it: then more is true.
func some[T any](ctx context.Context, most int, list func(context.Context) iter.Seq2[T, error]) (all []T, more bool, err error) {
	_, err = ask(ctx, func(ctx context.Context) (struct{}, error) {
		for one, err := range list(ctx) {
			if err != nil {
				return struct{}{}, err
			}
			if len(all) == most {
				more = true
				break
			}
			all = append(all, one)
		}
		return struct{}{}, nil
	})
	return all, more, err
}

// blank gives the zero value of what a call of the client takes: the type belongs to the contract, which pages do not
// import.
func blank[Q, A any](func(context.Context, Q) (A, error)) (q Q) { return q }

// put sets a word of the contract.
func put[S ~string](to *S, word string) { *to = S(word) }

// named gives a job of which only the id is known. It fails where text is no id.
func named(text string) (httpapi.Job, error) {
	var j httpapi.Job
	err := j.ID.UnmarshalText([]byte(text))
	return j, err
}
