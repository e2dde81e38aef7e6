package queuetest

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// Need is something that a rule asks of an engine.
type Need struct {
	What string
	Met  func(queue.Engine) bool
	Else Result // what is reported where it is not met
}

func ability[C any](what string) Need {
	return Need{what, func(e queue.Engine) bool { _, ok := queue.As[C](e); return ok }, NotPromised}
}

func trait(what string, has func(queue.Traits) bool) Need {
	return Need{what, func(e queue.Engine) bool { return has(e.Traits()) }, NotPromised}
}

var (
	inspects   = ability[queue.Inspector]("Inspector")
	operates   = ability[queue.Operator]("Operator")
	pauses     = ability[queue.Pauser]("Pauser")
	prunes     = ability[queue.Pruner]("Pruner")
	attends    = ability[queue.Presence]("Presence")
	schedules  = ability[queue.Schedules]("Schedules")
	audits     = ability[queue.Auditor]("Auditor")
	exchanges  = ability[queue.Exchanger]("Exchanger")
	transacts  = ability[Transacting]("Transactor")
	sideBySide = Need{"transactions side by side", func(e queue.Engine) bool {
		t, ok := queue.As[Transacting](e)
		return ok && t.SideBySide()
	}, NotPromised}
	reopens = Need{"durability", func(e queue.Engine) bool {
		_, ok := queue.As[Reopening](e)
		return ok && e.Traits().Durable
	}, NotPromised}
	works = Need{"a count of its work", func(e queue.Engine) bool { _, ok := queue.As[Working](e); return ok }, Elsewhere}

	repeats = trait("repeats claims", func(t queue.Traits) bool { return t.RepeatsClaims })
	fences  = trait("fences", func(t queue.Traits) bool { return t.Fences })
	counts  = trait("counts ways back", func(t queue.Traits) bool { return t.Counts })
	dedupes = trait("knows ids", func(t queue.Traits) bool { return t.Dedupes })
	ledgers = trait("keeps effects", func(t queue.Traits) bool { return t.KeepFor > 0 })
)

// Transacting is what a driver's test adds to an engine that is a queue.Transactor: Transact runs fn in a
// transaction of its own and commits it if fn returns nil, else rolls back. SideBySide says that one open
// transaction holds up no other.
type Transacting interface {
	Transact(ctx context.Context, fn func(queue.Tx) error) error
	SideBySide() bool
}

// Reopening is what a driver's test adds to a durable engine: Reopen ends it as a crash of its process
// would, without Close, and gives another on the same store and clock.
type Reopening interface{ Reopen() (queue.Engine, error) }

// Working is what a driver's test adds where it can count: Worked gives the work done so far in units that
// do not depend on the machine, such as steps of the database's virtual machine or rows read.
type Working interface{ Worked() int64 }
