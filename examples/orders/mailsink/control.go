package mailsink

import (
	"errors"
	"fmt"
	"maps"
)

// Always, as a count in an Aim, means every mail.
const Always = -1

// Control tells the sink how to misbehave. The zero value is to behave well. A
// new Control replaces the one before it whole; it does not release mails that
// are held.
//
// A mail passes the points in this order, once its last dot has come: Refuse,
// FailBefore, HoldBefore, the accepting, HoldAfter, FailAfter, the reply.
type Control struct {
	Refuse     Aim `json:"refuse,omitzero"`      // reply 550: a definite no, for good
	FailBefore Aim `json:"fail_before,omitzero"` // reply 451, or drop the connection; not accepted
	HoldBefore Aim `json:"hold_before,omitzero"` // block before accepting, until released
	HoldAfter  Aim `json:"hold_after,omitzero"`  // accept, then block before the reply, until released
	FailAfter  Aim `json:"fail_after,omitzero"`  // accept, then close the connection in place of the reply
}

// Aim says which mails are hit. A mail is hit by the count of the first of its
// recipients that is named with a count left; else by Next. Counts go down as
// mails are hit; Always stays.
type Aim struct {
	Next int            `json:"next,omitempty"` // the next n mails, or Always
	To   map[string]int `json:"to,omitempty"`   // by recipient: its next n mails, or Always
	Drop bool           `json:"drop,omitempty"` // FailBefore: close the connection without a reply
}

// check reports everything that is wrong with the Control at once.
func (c Control) check() error {
	return errors.Join(
		c.Refuse.check("refuse", false), c.FailBefore.check("fail_before", true),
		c.HoldBefore.check("hold_before", false), c.HoldAfter.check("hold_after", false),
		c.FailAfter.check("fail_after", true))
}

func (a Aim) check(name string, mayDrop bool) error {
	var errs []error
	if a.Next < Always {
		errs = append(errs, fmt.Errorf("%s.next is %d; give a count, or -1 for always", name, a.Next))
	}
	for to, n := range a.To {
		if n < Always {
			errs = append(errs, fmt.Errorf("%s.to[%q] is %d; give a count, or -1 for always", name, to, n))
		}
	}
	if a.Drop && !mayDrop {
		errs = append(errs, fmt.Errorf("%s.drop is set; only fail_before and fail_after drop the connection", name))
	}
	return errors.Join(errs...)
}

// hit reports whether a mail is hit, and uses up what hit it. Not safe for
// concurrent use.
func (a *Aim) hit(to []string) bool {
	for _, rcpt := range to {
		if n := a.To[rcpt]; n != 0 {
			if n > 0 {
				a.To[rcpt] = n - 1
			}
			return true
		}
	}
	if a.Next > 0 {
		a.Next--
		return true
	}
	return a.Next == Always
}

// copy returns an Aim that shares nothing, without counts that are used up.
func (a Aim) copy() Aim {
	a.To = maps.Clone(a.To)
	maps.DeleteFunc(a.To, func(_ string, n int) bool { return n == 0 })
	return a
}

func (c Control) copy() Control {
	return Control{
		Refuse: c.Refuse.copy(), FailBefore: c.FailBefore.copy(), HoldBefore: c.HoldBefore.copy(),
		HoldAfter: c.HoldAfter.copy(), FailAfter: c.FailAfter.copy(),
	}
}
