package mailsink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Observer reads the HTTP side of a sink, for demos and tests only: a real mail
// server has nothing like it. Make it with NewObserver. Safe for concurrent use.
type Observer struct {
	base string
	http *http.Client
}

// NewObserver returns an observer of the sink whose HTTP side is at base, such as
// http://127.0.0.1:8082. hc may be nil: then a call takes at most 10 s.
func NewObserver(base string, hc *http.Client) (*Observer, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The base is not repeated here: it may hold a password.
		return nil, errors.New("mailsink: new observer: the base is not an http or https URL; give one such as http://127.0.0.1:8082")
	}
	if hc == nil {
		hc = &http.Client{Timeout: 10 * time.Second}
	}
	return &Observer{base: strings.TrimSuffix(base, "/"), http: hc}, nil
}

// Mails returns a page of the mails that the query picks, oldest first.
func (o *Observer) Mails(ctx context.Context, q Query) (Page, error) {
	v := url.Values{"cursor": {strconv.Itoa(q.Cursor)}}
	if q.To != "" {
		v.Set("to", q.To)
	}
	if q.MessageID != "" {
		v.Set("message_id", q.MessageID)
	}
	if q.Limit != 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	var page Page
	err := o.call(ctx, http.MethodGet, "/mails?"+v.Encode(), nil, &page)
	return page, err
}

// Tally returns the totals, and a page of the Message-IDs that were accepted at
// least least times (1 or more): with 2, those that came more than once.
func (o *Observer) Tally(ctx context.Context, least, cursor int) (Tally, error) {
	var t Tally
	err := o.call(ctx, http.MethodGet, fmt.Sprintf("/counts?min=%d&cursor=%d", least, cursor), nil, &t)
	return t, err
}

// Control tells the sink how to misbehave, in place of what it was told before.
func (o *Observer) Control(ctx context.Context, told Control) error {
	return o.call(ctx, http.MethodPost, "/control", told, nil)
}

// State asks what is left of the Control, who is held, and what was counted.
func (o *Observer) State(ctx context.Context) (State, error) {
	var st State
	err := o.call(ctx, http.MethodGet, "/control", nil, &st)
	return st, err
}

// Release lets held mails to these recipients go on, or with none named all of
// them, and says how many there were.
func (o *Observer) Release(ctx context.Context, to ...string) (int, error) {
	var got released
	err := o.call(ctx, http.MethodPost, "/release", release{to}, &got)
	return got.Released, err
}

// Live returns nil while the sink serves.
func (o *Observer) Live(ctx context.Context) error {
	return o.call(ctx, http.MethodGet, "/livez", nil, nil)
}

// call makes one request and reads a 200 reply into the value that into points
// to, unless it is nil. Any failure means only that nothing was learned.
func (o *Observer) call(ctx context.Context, method, path string, body, into any) error {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("mailsink: observe %s: %w", path, err)
		}
		sent = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, o.base+path, sent)
	if err != nil {
		return fmt.Errorf("mailsink: observe %s: %w", path, err)
	}
	resp, err := o.http.Do(req)
	if err != nil {
		return fmt.Errorf("mailsink: observe %s: %w", path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	dec := json.NewDecoder(resp.Body)
	if resp.StatusCode != http.StatusOK {
		var f failure
		_ = dec.Decode(&f) // not the sink's words: the reason stays empty
		return fmt.Errorf("mailsink: observe %s: status %d: %s", path, resp.StatusCode, f.Error)
	}
	if into == nil {
		return nil
	}
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("mailsink: observe %s: %w", path, err)
	}
	return nil
}
