package gateway

import (
	"errors"
	"fmt"
)

// Always, as a count in an Aim, means every call.
const Always = -1

// Control tells the gateway how to misbehave. The zero value is to behave well.
// A new Control replaces the one before it whole; it does not release calls that
// are held (see Client.Release).
//
// A call of POST /charges passes the points in this order: latency, FailBefore,
// HoldBefore, the charge (Decline, IgnoreKeys), HoldAfter, FailAfter, the
// answer. Repeats of a key pass them too, and count, except for Decline: what
// was charged is not declined later.
type Control struct {
	LatencyMS  int64 `json:"latency_ms,omitempty"`  // added to every call of /charges, in milliseconds; at most 60,000
	FailBefore Aim   `json:"fail_before,omitzero"`  // answer 503, or drop the connection; nothing is charged
	HoldBefore Aim   `json:"hold_before,omitzero"`  // block before the charge, until released
	Decline    Aim   `json:"decline,omitzero"`      // answer 402; not remembered: the key may succeed later
	IgnoreKeys bool  `json:"ignore_keys,omitempty"` // every call charges anew, whatever its key
	HoldAfter  Aim   `json:"hold_after,omitzero"`   // block after the charge, before the answer, until released
	FailAfter  Aim   `json:"fail_after,omitzero"`   // charge, then answer 503, or drop the connection
	FailFind   Aim   `json:"fail_find,omitzero"`    // answer 503 to GET /charges?key=; by the order of the charge found
}

// Aim says which calls are hit. A call whose order is named is hit by that count;
// when there is none left, or none was named, by Next; when that is 0 too, Rate
// decides. Counts go down as calls are hit; Always stays.
type Aim struct {
	Next   int            `json:"next,omitempty"`   // the next n calls, or Always
	Rate   float64        `json:"rate,omitempty"`   // from 0 to 1, spread evenly: 0.25 hits every fourth call
	Orders map[string]int `json:"orders,omitempty"` // by order id: its next n calls, or Always
	Drop   bool           `json:"drop,omitempty"`   // FailBefore and FailAfter: close the connection without an answer
}

// check reports everything that is wrong with the Control at once.
func (c Control) check() error {
	var errs []error
	if c.LatencyMS < 0 || c.LatencyMS > 60_000 {
		errs = append(errs, fmt.Errorf("latency_ms is %d; give 0 to 60000", c.LatencyMS))
	}
	errs = append(errs,
		c.FailBefore.check("fail_before", true), c.FailAfter.check("fail_after", true),
		c.HoldBefore.check("hold_before", false), c.HoldAfter.check("hold_after", false),
		c.Decline.check("decline", false), c.FailFind.check("fail_find", false))
	return errors.Join(errs...)
}

func (a Aim) check(name string, mayDrop bool) error {
	var errs []error
	if a.Next < Always {
		errs = append(errs, fmt.Errorf("%s.next is %d; give a count, or -1 for always", name, a.Next))
	}
	if !(a.Rate >= 0 && a.Rate <= 1) {
		errs = append(errs, fmt.Errorf("%s.rate is %v; give 0 to 1", name, a.Rate))
	}
	for id, n := range a.Orders {
		if n < Always {
			errs = append(errs, fmt.Errorf("%s.orders[%q] is %d; give a count, or -1 for always", name, id, n))
		}
	}
	if a.Drop && !mayDrop {
		errs = append(errs, fmt.Errorf("%s.drop is set; only fail_before and fail_after can drop the connection", name))
	}
	return errors.Join(errs...)
}
