package proof

import (
	"context"
	"runtime"
)

type attemptKey struct{}

// Point is a place between two outside calls, named in words, at which a schedule may crash or freeze the attempt that
// ctx belongs to, or make it fail: a handler returns its error. Outside of a proof it does nothing and gives nil.
func Point(ctx context.Context, name string) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if ok && a.stop(point{name: name, when: alone}) == fail {
		return errRefused(name)
	}
	return nil
}

// Call is an outside call that the kit cannot see by itself, named in words, with a point before and one after it. Outside
// of a proof it is act alone. Where a schedule makes it fail, act was not called, or was and its answer is lost.
func Call(ctx context.Context, name string, act func() error) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return act()
	}
	return a.t.o.Call(ctx, name, act)
}

// Read is Call for what changes nothing outside: to do it again is nothing that a failure need tell.
func Read(ctx context.Context, name string, act func() error) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return act()
	}
	return a.t.o.Read(ctx, name, act)
}

// when tells where a point is.
type when uint8

const (
	before when = iota // a call: nothing was done yet
	after              // a call: it acted, and the handler does not know yet
	alone              // between calls
	answer             // between the handler's answer and its settlement
)

// point is a place at which an attempt can be stopped.
type point struct {
	name string
	when when
	soft bool // what calls must see an error to let go of what it holds, as database/sql: when all is over it gets one
}

func (p point) String() string {
	switch p.when {
	case before:
		return "before " + p.name
	case after:
		return "after " + p.name + ", before its answer is read"
	case answer:
		return "after the handler has answered, before the engine is told"
	}
	return "at " + p.name
}

// verdict is what becomes of an attempt that stands at a point.
type verdict uint8

const (
	pass verdict = iota
	fail
	gone // the schedule is over: what stands here is to come to its end
)

// arrival is an attempt's goroutine standing at a point.
type arrival struct {
	point
	reply chan verdict
	own   bool // it is the handler's own goroutine
}

// stop stands at a point until the schedule lets the attempt go on. Of an attempt that crashed it never comes back: the
// goroutine stands there until the schedule is over and the world was looked at, and is then ended by Goexit, which no recover swallows.
// So nothing after the crash is seen of it, neither in its defers nor in goroutines that it started.
func (a *attempt) stop(p point) verdict {
	here, arrivals := &arrival{p, make(chan verdict), self() == a.number}, a.arrivals
	if p.when == after {
		arrivals = a.afters
	}
	select {
	case arrivals <- here:
	case <-a.t.over:
		return a.leaveOff(p)
	}
	select {
	case v := <-here.reply:
		return v
	case <-a.t.over:
		return a.leaveOff(p)
	}
}

// leaveOff ends what stands at a point when the schedule is over. One that goes on and on in spite of errors is ended, too.
func (a *attempt) leaveOff(p point) verdict {
	if !p.soft || a.errors.Add(1) > maxErrors {
		runtime.Goexit()
	}
	return gone
}

const maxErrors = 100
