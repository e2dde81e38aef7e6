package explore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// Ledger is a ledger that is a store of its own, beside some data.
type Ledger interface {
	ledger.Store
	// Effect makes a step of the job that ctx is an attempt of with [ledger.Within], in a transaction of its own, and
	// reports whether it was made now. Of a dry one the transaction is rolled back.
	Effect(ctx context.Context, step string, dry bool) (made bool, err error)
	Close() error
}

// MakeLedger gives a new, empty ledger that goes by this clock. It is called thousands of times.
type MakeLedger func(now func() time.Time) (Ledger, error)

// shelf is one ledger with its clock.
type shelf struct {
	ledger Ledger
	at     time.Time
	timed  bool
}

func newShelf(build MakeLedger, b Bounds) (*shelf, error) {
	d := &shelf{at: noon(1), timed: b.Instants > 0}
	var err error
	d.ledger, err = build(func() time.Time { return d.at })
	return d, err
}

func (d *shelf) end() { _ = d.ledger.Close() }

// stepName is the name of a step, by its bit.
func stepName(bit uint8) string { return [...]string{1: "one", 2: "two"}[bit] }

func (d *shelf) do(a Act) history.Answer {
	ctx := context.Background()
	switch a.What {
	case Effect:
		now, err := d.ledger.Effect(attempt(a.Token, noon(a.At)), stepName(a.Step), false)
		switch {
		case err != nil:
			return told(err)
		case now:
			return made
		}
		return recorded
	case Seal:
		list, err := d.ledger.Seal(ctx, job.ID, a.Token)
		if err != nil {
			return odd(err)
		}
		listed, err := bits(list)
		if err != nil {
			return odd(err)
		}
		return listing(listed)
	case Tick:
		d.at = noon(instant(d.at) + 1)
		return history.OK
	case MoveMark:
		return told(d.ledger.MoveMark(ctx, end(a.At)))
	case Sweep:
		return d.sweep(ctx, func() bool { return true })
	case SweepEarly:
		return d.sweep(ctx, func() bool { return false })
	case SweepSlow:
		a.What = a.Meanwhile
		return d.sweep(ctx, func() bool { d.do(a); return true })
	}
	return odd(errors.New("no such action"))
}

// attempt is a context of an attempt of the job.
func attempt(token int64, fresh time.Time) context.Context {
	lease := queue.Lease{Job: job, ID: name{token, token}.id(), Token: token, FreshAt: fresh}
	return queue.WithHolding(context.Background(), &queue.Holding{Lease: lease})
}

func bits(list []queue.Effect) (listed uint8, err error) {
	for _, e := range list {
		switch {
		case e.State != queue.EffectRecorded:
			return listed, fmt.Errorf("step %s is listed as %s", e.Step, e.State)
		case e.Step == stepName(1):
			listed |= 1
		case e.Step == stepName(2):
			listed |= 2
		}
	}
	return listed, nil
}

// sweep asks whether the engine forgot the job, if the ledger would know.
func (d *shelf) sweep(ctx context.Context, forgot func() bool) history.Answer {
	n, err := d.ledger.Sweep(ctx, 10, func(_ context.Context, ids []queue.ID) ([]bool, error) {
		gone := make([]bool, len(ids))
		for i := range ids {
			gone[i] = forgot()
		}
		return gone, nil
	})
	switch {
	case err != nil:
		return odd(err)
	case n == 0:
		return nothingSwept
	}
	return allSwept
}

// look finds seal and mark by effects that are tried and rolled back. When the seal was set cannot be seen.
func (d *shelf) look(want Book) (Book, error) {
	k := Book{SealAt: want.SealAt}
	entries, err := d.ledger.Entries(context.Background(), job.ID)
	if err != nil {
		return k, err
	}
	list, err := bits(ledger.List(entries))
	if err != nil {
		return k, err
	}
	k.Steps = list
	for _, e := range entries {
		k.Token = max(k.Token, e.Token)
		if d.timed {
			k.Fresh = max(k.Fresh, instant(e.FreshAt))
		}
	}
	for token := int64(1); token <= max(want.Seal, want.Token)+1; token++ {
		barred, err := d.barred(token, d.at.Add(1000*day))
		if err != nil {
			return k, err
		}
		if barred {
			k.Seal = token
		}
	}
	if !d.timed {
		return k, nil
	}
	k.Now = instant(d.at)
	for fresh := int64(1); fresh <= k.Now; fresh++ {
		barred, err := d.barred(1000, noon(fresh))
		if err != nil {
			return k, err
		}
		if barred {
			k.Mark = fresh
		}
	}
	return k, nil
}

func (d *shelf) barred(token int64, fresh time.Time) (bool, error) {
	_, err := d.ledger.Effect(attempt(token, fresh), "probe", true)
	if errors.Is(err, queue.ErrLeaseLost) {
		return true, nil
	}
	return false, err
}

// reveal finds when the seal was set by moving the mark on until everything is swept.
func (d *shelf) reveal(want Book) (Book, error) {
	k, err := d.look(want)
	if err != nil || !d.timed {
		return k, err
	}
	ctx := context.Background()
	d.at = noon(k.Now + 1000)
	for mark := max(1, k.Mark); mark <= k.Now; mark++ {
		if err := d.ledger.MoveMark(ctx, end(mark)); err != nil {
			return k, err
		}
		if d.sweep(ctx, func() bool { return true }) == allSwept {
			switch stays := max(want.Fresh, want.SealAt, 1); {
			case mark < stays, mark > max(stays, k.Mark):
				return k, fmt.Errorf("it stays until the mark is %d, and should until it is %d (%+v)", mark, stays, want)
			}
			return k, nil
		}
	}
	if !want.empty() {
		return k, errors.New("it is never swept")
	}
	return k, nil
}
