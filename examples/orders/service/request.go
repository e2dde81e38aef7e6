package service

import (
	"fmt"
	"net/mail"
	"time"
	"unicode"
	"unicode/utf8"
)

// Request asks for an order.
type Request struct {
	Reference      string // the client's name for the order; one of the two is required
	IdempotencyKey string // stands in for a reference that is not given
	Customer       string
	AmountCents    int64
	Currency       string
}

const (
	maxReference = 200        // bytes
	maxAddress   = 254        // bytes, as in RFC 5321
	maxAmount    = 10_000_000 // cents
)

// order checks the request and makes its order. It fails with an *InvalidError that names every fault.
func (r Request) order(now time.Time) (Order, error) {
	var faults []Fault
	wrong := func(field, why, remedy string) { faults = append(faults, Fault{field, why, remedy}) }

	reference := r.Reference
	if reference == "" {
		reference = r.IdempotencyKey
	}
	switch why := unprintable(reference); {
	case reference == "":
		wrong("reference", "it is missing", "name the order, so that a repeated request is not a second order; the header Idempotency-Key will do")
	case r.IdempotencyKey != "" && r.IdempotencyKey != reference:
		wrong("reference", "it is not the Idempotency-Key", "send one of the two; the reference alone makes the request safe to repeat")
	case len(reference) > maxReference:
		wrong("reference", fmt.Sprintf("it has %d bytes, the limit is %d", len(reference), maxReference), "use a shorter one")
	case why != "":
		wrong("reference", why, "use printable text")
	}
	if why := notAddress(r.Customer); why != "" {
		wrong("customer", why, "give a bare mail address, such as ada@shop.test")
	}
	if r.AmountCents <= 0 || r.AmountCents > maxAmount {
		wrong("amount_cents", fmt.Sprintf("it is %d", r.AmountCents), fmt.Sprintf("give a whole number of cents from 1 to %d", maxAmount))
	}
	if !isCurrency(r.Currency) {
		wrong("currency", fmt.Sprintf("it is %.20q", r.Currency), "give three capital letters, such as EUR")
	}
	if len(faults) > 0 {
		return Order{}, &InvalidError{faults}
	}
	return Order{
		ID: OrderID(reference), Reference: reference, Customer: r.Customer, AmountCents: r.AmountCents, Currency: r.Currency,
		PlacedAt: now.UTC().Truncate(time.Millisecond), State: Placed,
	}, nil
}

func unprintable(s string) string {
	if !utf8.ValidString(s) {
		return "it is not UTF-8"
	}
	for _, c := range s {
		if !unicode.IsPrint(c) {
			return fmt.Sprintf("it holds %q", c)
		}
	}
	return ""
}

// notAddress says what is wrong with a mail address, or "".
func notAddress(s string) string {
	switch {
	case s == "":
		return "it is missing"
	case len(s) > maxAddress:
		return fmt.Sprintf("it has %d bytes, the limit is %d", len(s), maxAddress)
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return fmt.Sprintf("byte %d is %q", i, s[i])
		}
	}
	if parsed, err := mail.ParseAddress(s); err != nil || parsed.Address != s {
		return "it is not a bare mail address"
	}
	return ""
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
