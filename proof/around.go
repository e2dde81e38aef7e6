package proof

import (
	"context"
	"errors"
	"fmt"
)

// call is an outside call as the kit knows it.
type call struct {
	name   string       // in words
	effect bool         // it may change the world: it is counted
	soft   bool         // see point
	refuse func() error // the error where nothing was done; nil: errRefused
	lose   func() error // the error where it acted and the reply is lost; nil: errLost
	later  func(*made)  // told of a call that only counts once its transaction commits
}

// made is a call that acted.
type made struct {
	who    *attempt
	name   string
	effect bool
	undone bool // by the end of its transaction
	step   int  // of the trial's steps
}

// around makes a call, with a point before and one after it. One that is made within another is a part of that.
func (o *Outside) around(ctx context.Context, c call, act func() (string, error)) error {
	a := o.t.attemptOf(ctx)
	if a == nil || !a.enter() {
		_, err := act()
		return err
	}
	defer a.leave()
	switch a.stop(point{c.name, before, c.soft}) {
	case gone:
		return errGone
	case fail:
		if c.refuse != nil {
			return c.refuse()
		}
		return errRefused(c.name)
	}
	said, err := act()
	o.t.acted(a, c, said, err)
	switch a.stop(point{c.name, after, c.soft}) {
	case gone:
		return errGone
	case fail:
		if c.lose != nil {
			return c.lose()
		}
		return errLost(c.name)
	}
	return err
}

// acted keeps that a call was made.
func (t *trial) acted(a *attempt, c call, said string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step{who: a.name, text: t.plain(c.name + ": " + said)})
	m := &made{who: a, name: c.name, effect: c.effect && err == nil, step: len(t.steps) - 1}
	t.calls = append(t.calls, m)
	if c.later != nil {
		c.later(m)
	}
}

// outcome tells how a call ended.
func outcome(err error) string {
	if err != nil {
		return short(err.Error(), 140)
	}
	return "done"
}

var (
	errGone     = errors.New("the schedule is over")
	errInjected = errors.New("the schedule let it fail")
	// ErrRefused is the error of a call that a schedule let fail before it did anything.
	ErrRefused = fmt.Errorf("nothing was done: %w", errInjected)
	// ErrLost is the error of a call that acted and whose reply a schedule took away.
	ErrLost = fmt.Errorf("the reply is lost: %w", errInjected)
)

func errRefused(name string) error { return fmt.Errorf("%s: %w", name, ErrRefused) }
func errLost(name string) error    { return fmt.Errorf("%s: %w", name, ErrLost) }

// short cuts a text for people to n bytes.
func short(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:n] + "…"
}
