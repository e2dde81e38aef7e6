package gateway

import (
	"fmt"
	"time"
)

// Charge is money taken once from a customer. It never changes once made.
type Charge struct {
	ID          string    `json:"id"`
	Key         string    `json:"key"` // the Idempotency-Key it was made under
	OrderID     string    `json:"order_id"`
	AmountCents int64     `json:"amount_cents"`
	Currency    string    `json:"currency"`   // three capital letters, as in ISO 4217
	CreatedAt   time.Time `json:"created_at"` // UTC, to the microsecond
}

// Page is one part of the list of charges, oldest first.
type Page struct {
	Charges []Charge `json:"charges"`
	// NextCursor asks for the part after this one. An empty page gives back the
	// cursor it was asked with: a reader that keeps it sees every later charge once.
	NextCursor string `json:"next_cursor,omitempty"`
}

// order is the body of POST /charges: what is to be paid.
type order struct {
	OrderID     string `json:"order_id"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
}

// of reports whether the charge is for exactly this order.
func (o order) of(c Charge) bool {
	return c.OrderID == o.OrderID && c.AmountCents == o.AmountCents && c.Currency == o.Currency
}

// check returns what is wrong with the order, or nil.
func (o order) check() *problem {
	switch {
	case o.OrderID == "" || len(o.OrderID) > maxOrderID:
		return invalid("order_id has %d bytes; give 1 to %d", len(o.OrderID), maxOrderID)
	case o.AmountCents <= 0:
		return invalid("amount_cents is %d; give a positive number of cents", o.AmountCents)
	case !isCurrency(o.Currency):
		return invalid("currency is %q; give three capital letters, such as EUR", o.Currency)
	}
	return nil
}

func isCurrency(s string) bool {
	if len(s) != 3 {
		return false
	}
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}

// checkKey returns what is wrong with an idempotency key, or nil.
func checkKey(key string) *problem {
	if key == "" || len(key) > maxKey {
		return invalid("the idempotency key has %d bytes; give 1 to %d", len(key), maxKey)
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return invalid("the idempotency key holds byte 0x%02x at %d; use printable ASCII without spaces", key[i], i)
		}
	}
	return nil
}

const (
	maxOrderID = 200
	maxKey     = 255
)

// idPattern numbers charges from 1, so that an id is also its place in the list.
const idPattern = "ch_%08d"

func chargeID(n int) string { return fmt.Sprintf(idPattern, n) }

// chargeNumber is the inverse of chargeID.
func chargeNumber(id string) (int, bool) {
	var n int
	if _, err := fmt.Sscanf(id, "ch_%d", &n); err != nil || n < 1 || chargeID(n) != id {
		return 0, false
	}
	return n, true
}
