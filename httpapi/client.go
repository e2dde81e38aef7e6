package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// ClientConfig of a Client; a zero field means what its comment says.
type ClientConfig struct {
	Token string // sent as bearer token; none: the API has none
	Who   string // who makes changes, where the API has no tokens
	// HTTP carries the requests. Nil: a client with a timeout of 30 s that follows no redirect, since that would carry
	// the token elsewhere.
	HTTP *http.Client
}

// Client calls an API. It is a queue.Enqueuer, so that typed kinds can be enqueued through it. It may be used
// concurrently. It repeats nothing by itself.
//
// Errors of the server come back with their reasons: errors.Is finds queue.ErrNotFound and its like. Where no
// connection was made the error is queue.ErrUnavailable and nothing was changed. Where a change was sent and no answer
// came it is queue.ErrUnknownOutcome, and also the context's error where that ended: repeating the same call is safe.
type Client struct {
	base string
	cfg  ClientConfig
}

var _ queue.Enqueuer = (*Client)(nil)

// NewClient makes a client of the API at base, such as http://127.0.0.1:7420. It opens nothing. It fails with
// ErrInvalid.
func NewClient(base string, cfg ClientConfig) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, invalid("open client", "API", "its address is not one", "use http://host:port or https://host:port; a token goes into ClientConfig.Token")
	}
	if strings.ContainsFunc(cfg.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, invalid("open client", u.Host, "its token has a character that is not printable ASCII", "give it as TWICE_TOKENS has it")
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return &Client{strings.TrimRight(base, "/"), cfg}, nil
}

// maxAnswer bounds what a client reads, in bytes.
const maxAnswer = 64 << 20

// read gets an answer that changes nothing.
func read[A any](ctx context.Context, c *Client, op, path string, query url.Values) (A, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var answer A
	_, err := c.do(ctx, op, http.MethodGet, path, nil, &answer)
	return answer, err
}

// send makes a change.
func send[A any](ctx context.Context, c *Client, op, path string, body any) (A, error) {
	var answer A
	b, err := json.Marshal(body)
	if err != nil {
		return answer, &queue.Error{Op: op, Subject: path, Reason: queue.ErrInvalid, Detail: "it cannot be written as JSON", Cause: err}
	}
	_, err = c.do(ctx, op, http.MethodPost, path, b, &answer)
	return answer, err
}

// do makes one request, and reads its answer.
func (c *Client) do(ctx context.Context, op, method, path string, body []byte, answer any) (status int, err error) {
	lost := queue.ErrUnavailable
	var sent atomic.Bool
	if method != http.MethodGet {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	}
	fail := func(detail string, cause error) (int, error) {
		if sent.Load() {
			lost = queue.ErrUnknownOutcome
		}
		return status, &queue.Error{Op: op, Subject: path, Reason: lost, Detail: detail, Cause: cause, Remedy: "see that the API is up, then repeat the same call: it is safe"}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, invalid(op, path, err.Error(), "see the address of the API")
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.cfg.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.cfg.Token)
	}
	if id := twice.RequestID(ctx); requestIDs.MatchString(id) {
		r.Header.Set("X-Request-Id", id)
	}
	if trace := twice.Traceparent(ctx); trace != "" {
		r.Header.Set("Traceparent", trace)
	}
	response, err := c.cfg.HTTP.Do(r)
	if err != nil {
		var at *url.Error // it repeats what is said already
		if errors.As(err, &at) {
			err = at.Err
		}
		return fail("no answer came", err)
	}
	defer func() { _ = response.Body.Close() }()
	status = response.StatusCode
	b, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return fail("its answer ended early", err)
	}
	if len(b) > maxAnswer {
		return fail(fmt.Sprintf("its answer has more than %d bytes", maxAnswer), nil)
	}
	if status >= 400 {
		var failure Failure
		if json.Unmarshal(b, &failure) == nil && failure.Error.Reason != "" {
			return status, failure.Error.Err()
		}
	}
	if status >= 300 && !isHealth(answer) {
		return c.foreign(op, path, status, fail)
	}
	if err := json.Unmarshal(b, answer); err != nil {
		return fail("its answer cannot be read", err)
	}
	return status, nil
}

// foreign is an answer that is not the API's: of a proxy before it, or of another server. One that refuses has changed
// nothing.
func (c *Client) foreign(op, path string, status int, fail func(string, error) (int, error)) (int, error) {
	detail := fmt.Sprintf("status %d, and the answer is not the API's", status)
	if status >= 500 {
		return fail(detail, nil)
	}
	return status, invalid(op, path, detail, "see the address of the API, and what stands before it")
}

func isHealth(answer any) bool { _, is := answer.(*Health); return is }

func text(id queue.ID) string { return url.PathEscape(id.String()) }

// page makes the query of a part of a list.
func page(query url.Values, cursor string) url.Values {
	with := url.Values{}
	for name, values := range query {
		with[name] = values
	}
	if cursor != "" {
		with.Set("cursor", cursor)
	}
	return with
}

// fill adds what is not empty.
func fill(query url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query
}
