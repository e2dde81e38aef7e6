package service

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
)

// Difference is one thing on which the gateway's list and our books disagree.
type Difference struct {
	Kind     DifferenceKind
	OrderID  string
	ChargeID string
	Detail   string // for people
}

// DifferenceKind says what is wrong.
type DifferenceKind string

const (
	UnknownCharge  DifferenceKind = "unknown_charge"  // the gateway has it, we do not
	MissingCharge  DifferenceKind = "missing_charge"  // we have it, the gateway does not
	DoubleCharge   DifferenceKind = "double_charge"   // the gateway has charged the order before
	AmountMismatch DifferenceKind = "amount_mismatch" // the same charge of another amount, currency or order
)

// Report is one comparison of the books.
type Report struct {
	Due          time.Time // the instant it was made for
	Until        time.Time // charges after it were left out: they may be on their way into our books
	Ours, Theirs int       // charges compared
	Differences  []Difference
}

// compare finds every difference between our charges and the gateway's, which are in the order made.
func compare(ours []Charge, theirs []gateway.Charge) []Difference {
	known := make(map[string]Charge, len(ours))
	for _, c := range ours {
		known[c.ID] = c
	}
	var found []Difference
	first := make(map[string]string, len(theirs)) // the first charge of each order
	for _, t := range theirs {
		o, have := known[t.ID]
		delete(known, t.ID)
		before, twice := first[t.OrderID]
		if !twice {
			first[t.OrderID] = t.ID
		}
		switch {
		case twice:
			found = append(found, Difference{DoubleCharge, t.OrderID, t.ID, "the order was charged before as " + before})
		case !have:
			found = append(found, Difference{UnknownCharge, t.OrderID, t.ID, fmt.Sprintf("the gateway charged %d %s", t.AmountCents, t.Currency)})
		}
		if have && (o.AmountCents != t.AmountCents || o.Currency != t.Currency || o.OrderID != t.OrderID) {
			found = append(found, Difference{AmountMismatch, o.OrderID, t.ID,
				fmt.Sprintf("ours is %d %s for %s, the gateway's %d %s for %s", o.AmountCents, o.Currency, o.OrderID, t.AmountCents, t.Currency, t.OrderID)})
		}
	}
	for _, o := range known {
		found = append(found, Difference{MissingCharge, o.OrderID, o.ID, fmt.Sprintf("we recorded %d %s", o.AmountCents, o.Currency)})
	}
	slices.SortFunc(found, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ChargeID, b.ChargeID))
	})
	return found
}
