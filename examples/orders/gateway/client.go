package gateway

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const opCharge = "charge"

// Client calls a gateway. Make it with NewClient. Safe for concurrent use.
// Its methods fail with an *Error.
type Client struct {
	base string
	http *http.Client
}

// NewClient returns a client for the gateway at base, such as
// http://127.0.0.1:8081. It does not connect. hc may be nil: then a call takes
// at most 10 s, or less if its context says so. It fails on a base that is not
// an http or https URL.
func NewClient(base string, hc *http.Client) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The base is not repeated here: it may hold a password.
		return nil, errors.New("gateway: new client: the base is not an http or https URL; give one such as http://127.0.0.1:8081")
	}
	if hc == nil {
		hc = &http.Client{Timeout: 10 * time.Second}
	}
	return &Client{base: strings.TrimSuffix(base, "/"), http: hc}, nil
}

// Charge asks for a charge under a key, once: it never repeats by itself. The
// same key and order give the same charge for as long as the gateway remembers
// keys. It fails with ErrDeclined, ErrKeyReused or ErrInvalid, each of which
// says that this call charged nothing, or with ErrUnavailable: unknown.
func (c *Client) Charge(ctx context.Context, key, orderID string, amountCents int64, currency string) (Charge, error) {
	if p := checkKey(key); p != nil {
		return Charge{}, &Error{Op: opCharge, Thing: "order " + orderID, Message: p.message, Kind: ErrInvalid}
	}
	var got Charge
	err := c.call(ctx, request{
		op: opCharge, thing: "order " + orderID, method: http.MethodPost, path: "/charges", key: key,
		body: order{OrderID: orderID, AmountCents: amountCents, Currency: currency},
	}, &got)
	if err != nil {
		return Charge{}, err
	}
	if got.ID == "" || got.Key != key {
		return Charge{}, &Error{Op: opCharge, Thing: "order " + orderID, Kind: ErrUnavailable, Message: "the reply is not a charge under this key"}
	}
	return got, nil
}

// Find asks about a key. False without an error is definite, but only of what
// the gateway remembers: of a charge older than its KeyLife it knows nothing.
// ErrUnavailable: nothing was learned.
func (c *Client) Find(ctx context.Context, key string) (Charge, bool, error) {
	var got Charge
	err := c.call(ctx, request{
		op: "find", thing: "key " + key, method: http.MethodGet, path: "/charges?key=" + url.QueryEscape(key),
	}, &got)
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeNotFound {
		return Charge{}, false, nil
	}
	if err != nil {
		return Charge{}, false, err
	}
	if got.ID == "" || got.Key != key {
		return Charge{}, false, &Error{Op: "find", Thing: "key " + key, Kind: ErrUnavailable, Message: "the reply is not a charge under this key"}
	}
	return got, true, nil
}

// List returns the page after the cursor, oldest first; an empty cursor starts
// at the beginning. An empty page is the end for now, and its cursor finds what
// is charged later. A cursor of another list is ErrInvalid.
func (c *Client) List(ctx context.Context, cursor string) (Page, error) {
	var page Page
	err := c.call(ctx, request{
		op: "list", thing: cursor, method: http.MethodGet, path: "/charges?cursor=" + url.QueryEscape(cursor),
	}, &page)
	return page, err
}

// All yields every charge, page by page, oldest first. It ends after the first
// error, which comes with a zero Charge.
func (c *Client) All(ctx context.Context) iter.Seq2[Charge, error] {
	return func(yield func(Charge, error) bool) {
		for cursor := ""; ; {
			page, err := c.List(ctx, cursor)
			if err != nil {
				yield(Charge{}, err)
				return
			}
			for _, charge := range page.Charges {
				if !yield(charge, nil) {
					return
				}
			}
			if len(page.Charges) == 0 {
				return
			}
			cursor = page.NextCursor
		}
	}
}

// Control tells the gateway how to misbehave, in place of what it was told
// before; the zero Control is to behave. ErrInvalid names all that is wrong.
func (c *Client) Control(ctx context.Context, told Control) error {
	return c.call(ctx, request{op: "control", method: http.MethodPost, path: "/control", body: told}, nil)
}

// State asks what is left of the Control, who is held, and what was counted.
func (c *Client) State(ctx context.Context) (State, error) {
	var st State
	err := c.call(ctx, request{op: "state", method: http.MethodGet, path: "/control"}, &st)
	return st, err
}

// Release lets the held calls of these orders go on, or with none named all of
// them, and says how many there were.
func (c *Client) Release(ctx context.Context, orders ...string) (int, error) {
	var got released
	err := c.call(ctx, request{op: "release", method: http.MethodPost, path: "/release", body: release{orders}}, &got)
	return got.Released, err
}

// Live returns nil while the gateway serves.
func (c *Client) Live(ctx context.Context) error {
	return c.call(ctx, request{op: "livez", method: http.MethodGet, path: "/livez"}, nil)
}
