package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// maxReply bounds a reply: 1,000 charges of the longest names fit.
const maxReply = 4 << 20

type request struct {
	op, thing    string
	method, path string
	key          string // Idempotency-Key; may be empty
	body         any    // nil: none
}

func (r request) failed(kind, cause error) *Error {
	return &Error{Op: r.op, Thing: r.thing, Kind: kind, Err: cause}
}

// call makes one HTTP request and reads a 2xx reply into the value that into
// points to, unless it is nil.
func (c *Client) call(ctx context.Context, r request, into any) error {
	var body io.Reader
	if r.body != nil {
		raw, err := json.Marshal(r.body)
		if err != nil {
			return r.failed(ErrInvalid, err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, body)
	if err != nil {
		return r.failed(ErrInvalid, err)
	}
	// net/http repeats a request with an Idempotency-Key by itself when a kept
	// connection breaks, as long as it can read the body again. One call is one
	// request here: whether to repeat is for the caller to say.
	req.GetBody = nil
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return r.failed(ErrUnavailable, err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return r.failed(ErrUnavailable, err)
	}
	if resp.StatusCode/100 != 2 {
		return r.refused(resp.StatusCode, raw)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		e := r.failed(ErrUnavailable, err)
		e.Status = resp.StatusCode
		return e
	}
	return nil
}

// refused makes the error of a reply that is not 2xx.
func (r request) refused(status int, raw []byte) error {
	var p problemBody
	_ = json.Unmarshal(raw, &p) // not the gateway's words: the code stays empty
	return &Error{
		Op: r.op, Thing: r.thing, Status: status,
		Code: p.Error.Code, Message: p.Error.Message, Kind: kindOf(p.Error.Code),
	}
}
