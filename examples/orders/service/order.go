package service

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Order is what a customer bought. All but State and what follows it never changes.
type Order struct {
	ID          string // derived from Reference: the same reference is the same order
	Reference   string // the client's
	Customer    string // a mail address
	AmountCents int64
	Currency    string // three capital letters, as in ISO 4217
	PlacedAt    time.Time

	State   State
	Failure string   // when failed: why
	Charge  *Charge  // once charged
	Receipt *Receipt // once sent
}

// State is how far an order has come.
type State string

const (
	Placed      State = "placed"       // to be charged
	Charged     State = "charged"      // paid; the receipt is to be sent
	ReceiptSent State = "receipt_sent" // all is done
	Failed      State = "failed"       // the payment was declined
)

// Charge is our record of a payment; the gateway's own list has it under the same ID.
type Charge struct {
	ID          string // the gateway's
	OrderID     string
	AmountCents int64
	Currency    string
	ChargedAt   time.Time // by the gateway's clock
}

// Receipt is our record of a mail that the mail server took.
type Receipt struct {
	OrderID   string
	MessageID string
	SentAt    time.Time
}

// OrderID derives an order's id from its reference, so that whoever repeats a request, knowing nothing of the first
// answer, names the same order.
func OrderID(reference string) string {
	sum := sha256.Sum256([]byte("order:" + reference))
	return "o-" + hex.EncodeToString(sum[:12])
}

// differing names what two orders of one reference disagree on.
func (o Order) differing(other Order) []string {
	var names []string
	for _, field := range []struct {
		name string
		same bool
	}{
		{"reference", o.Reference == other.Reference},
		{"customer", o.Customer == other.Customer},
		{"amount_cents", o.AmountCents == other.AmountCents},
		{"currency", o.Currency == other.Currency},
	} {
		if !field.same {
			names = append(names, field.name)
		}
	}
	return names
}
