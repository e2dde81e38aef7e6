package gateway

import (
	"net/http"
	"time"
)

// book is the gateway's own record: every charge in the order made, and what
// each key stands for. Not safe for concurrent use; the Server locks it.
type book struct {
	keyLife time.Duration
	max     int
	charges []Charge
	byKey   map[string]int // index of the first charge made under a key that was remembered then
	file    *file          // nil: memory only
}

// find returns the charge a key stands for at a moment, while it is remembered.
func (b *book) find(key string, now time.Time) (Charge, bool) {
	i, known := b.byKey[key]
	if !known || !now.Before(b.charges[i].CreatedAt.Add(b.keyLife)) {
		return Charge{}, false
	}
	return b.charges[i], true
}

// add makes a charge: in the file first, then in memory. On a problem nothing
// was charged.
func (b *book) add(key string, o order, now time.Time) (Charge, *problem) {
	if len(b.charges) >= b.max {
		return Charge{}, unavailable(CodeFull, "the list holds %d charges, which is its limit; raise MaxCharges", len(b.charges))
	}
	c := Charge{
		ID: chargeID(len(b.charges) + 1), Key: key,
		OrderID: o.OrderID, AmountCents: o.AmountCents, Currency: o.Currency,
		CreatedAt: now,
	}
	if b.file != nil {
		if err := b.file.append(c); err != nil {
			return Charge{}, unavailable(CodeStore, "the charge was not made: %v", err)
		}
	}
	b.keep(c, now)
	return c, nil
}

// keep takes a charge into memory. A key that is still remembered keeps standing
// for its first charge.
func (b *book) keep(c Charge, now time.Time) {
	b.charges = append(b.charges, c)
	if _, known := b.find(c.Key, now); !known {
		b.byKey[c.Key] = len(b.charges) - 1
	}
}

// page returns up to limit charges after the one that the cursor names.
func (b *book) page(cursor string, limit int) (Page, *problem) {
	from := 0
	if cursor != "" {
		n, ok := chargeNumber(cursor)
		if !ok || n > len(b.charges) {
			return Page{}, &problem{http.StatusBadRequest, CodeInvalid,
				"the cursor is not one that this list gave; start again without one"}
		}
		from = n
	}
	to := min(from+limit, len(b.charges))
	page := Page{Charges: append([]Charge{}, b.charges[from:to]...), NextCursor: cursor}
	if n := len(page.Charges); n > 0 {
		page.NextCursor = page.Charges[n-1].ID
	}
	return page, nil
}
