package orders

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// Fault makes the charges of chosen orders misbehave in the worker, before anything is done: for
// demonstrations and tests. To take it away is the fix, after which they can be redriven.
type Fault struct {
	Prefix string // of the order's reference
	Does   Misdeed
}

// Misdeed is what a fault does.
type Misdeed string

const (
	Fails  Misdeed = "fail"  // answers an error, on every attempt
	Panics Misdeed = "panic" // panics
	Kills  Misdeed = "kill"  // ends the process at once, as a crash does: no defer runs, nothing is reported
	Hangs  Misdeed = "hang"  // does nothing until its context ends
	Deaf   Misdeed = "deaf"  // does nothing, whatever its context says, and never returns
)

// ErrFault is what an order with a fault fails with.
var ErrFault = errors.New("a fault was injected")

// ParseFault reads prefix=misdeed, as on a command line.
func ParseFault(text string) (Fault, error) {
	prefix, does, _ := strings.Cut(text, "=")
	f := Fault{prefix, Misdeed(does)}
	return f, f.check()
}

// String is what ParseFault reads.
func (f Fault) String() string { return f.Prefix + "=" + string(f.Does) }

func (f Fault) check() error {
	switch f.Does {
	case Fails, Panics, Kills, Hangs, Deaf:
		if f.Prefix != "" {
			return nil
		}
	}
	return fmt.Errorf("the fault %.80q is not PREFIX=MISDEED, a misdeed being one of fail, panic, kill, hang, deaf", f)
}

// faults injects the first fault whose prefix fits.
type faults struct {
	all    []Fault
	orders service.Database
}

// around is a [jobs.Around].
func (f faults) around(ctx context.Context, lease queue.Lease, orderID string, run func(context.Context) error) error {
	if lease.Job.Kind != jobs.ChargeKind {
		return run(ctx)
	}
	order, err := f.orders.Order(ctx, orderID)
	if err != nil {
		return run(ctx)
	}
	for _, fault := range f.all {
		if strings.HasPrefix(order.Reference, fault.Prefix) {
			twice.Logger(ctx).WarnContext(ctx, "fault injected", "fault", fault.String(), "order", orderID)
			return fault.commit(ctx)
		}
	}
	return run(ctx)
}

func (f Fault) commit(ctx context.Context) error {
	switch f.Does {
	case Panics:
		panic(fmt.Sprintf("%v: %s", ErrFault, f))
	case Kills:
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		<-ctx.Done() // the signal is on its way
	case Hangs:
		<-ctx.Done()
		return context.Cause(ctx)
	case Deaf:
		select {}
	}
	return fmt.Errorf("%w: %s", ErrFault, f)
}
