package httpapi

import (
	"bytes"
	"io"
	"net/http"
)

// Direct gives a client that calls the API within this process, without a connection: for pages beside it. What a
// request from elsewhere must show of its origin is not asked; the token is.
func (s *Server) Direct(cfg ClientConfig) *Client {
	cfg.HTTP = &http.Client{Transport: direct{s}}
	return &Client{"http://localhost", cfg}
}

// direct hands requests to a server.
type direct struct{ s *Server }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &kept{header: http.Header{}, status: http.StatusOK}
	in := identified(w, r.Clone(r.Context()))
	func() {
		defer d.s.recovered(w, in)
		d.s.route(w, in)
	}()
	return &http.Response{StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r}, nil
}

// kept is an answer as it was written.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }
