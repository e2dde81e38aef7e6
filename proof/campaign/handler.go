package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// hand runs the jobs of a campaign in a worker process.
type hand struct {
	store   *Store
	remote  *client
	tell    func(Event)
	control Control
	alone   bool // this process is for one suspect
}

func (h *hand) run(ctx context.Context, job twice.Job[Args]) error {
	at := func(p Point) { h.tell(Event{Point: p, Job: job.ID(), Token: job.Attempt()}) }
	at(Begun)
	if job.Lease.Counts.Crashes > 0 {
		at(BegunAgain)
	}
	defer at(Returned)
	if h.alone && !job.Lease.Lone {
		at(Company)
	}
	switch job.Args.Do {
	case Kill:
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		select {}
	case Wait:
		<-ctx.Done()
		return context.Cause(ctx)
	case Deaf:
		select {}
	case Exit:
		os.Exit(0)
	case Memory:
		exhaust()
	case Panic:
		panic("poison")
	case Loop:
		for n := 0; ; n++ {
			_ = n
		}
	case Talk:
		for ctx.Err() == nil {
			fmt.Println("busy")
			time.Sleep(10 * time.Millisecond)
		}
		return context.Cause(ctx)
	}
	shape := shapeOf(job.Args.N)
	steps := []func(context.Context, twice.Job[Args]) error{h.charge}
	if shape.mails {
		steps = append(steps, h.mail)
	}
	last := h.row
	if shape.settles {
		last = h.end
	}
	if shape.rowFirst {
		steps = append([]func(context.Context, twice.Job[Args]) error{last}, steps...)
	} else {
		steps = append(steps, last)
	}
	for i, step := range steps {
		if i == 1 && job.Args.Do == GiveUp && job.Lease.Counts.Redrives == 0 {
			return twice.Bury(errors.New("it gives up until somebody redrives it"))
		}
		if err := step(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// row inserts a row in one transaction with its record.
func (h *hand) row(ctx context.Context, job twice.Job[Args]) error {
	row := Row{job.ID(), job.Attempt()}
	err := h.store.Data.Transact(ctx, func(ctx context.Context, tx Tx) error {
		if h.control == LedgerOff {
			return tx.Insert(ctx, row)
		}
		_, err := ledger.Within(ctx, tx.Ledger, stepRow, func(ctx context.Context) (int64, error) {
			return row.Token, tx.Insert(ctx, row)
		})
		return err
	})
	if err == nil {
		h.tell(Event{Point: RowMade, Job: row.Job, Token: row.Token})
	}
	return err
}

// end looks at the charge, then inserts a row in one transaction with the attempt's settlement. No record of
// it is kept: that it is made once rests on the fence. Where the jobs are kept elsewhere, it is a row like
// others.
func (h *hand) end(ctx context.Context, job twice.Job[Args]) error {
	key := ledger.Key{Job: job.ID(), Step: stepCharge}.String()
	if h.control == LedgerOff {
		key = attemptKey(job, stepCharge)
	}
	if _, made, err := h.remote.look(ctx, key, job.Attempt()); err != nil || !made {
		return errors.Join(errors.New("the charge "+key+" is not there"), err)
	}
	holding, ok := queue.HoldingFrom(ctx)
	jobsHere := false
	err := h.store.Data.Transact(ctx, func(ctx context.Context, tx Tx) error {
		if jobsHere = tx.Jobs != nil; !ok || !jobsHere {
			return nil
		}
		if h.control == FenceOff {
			tx.Jobs = unfencedTx{tx.Jobs}
		}
		if err := tx.Insert(ctx, Row{job.ID(), job.Attempt()}); err != nil {
			return err
		}
		answers, err := tx.Jobs.Settle(ctx, queue.Settlement{Lease: holding.Lease, State: queue.Done, Outcome: queue.OutcomeDone})
		if err != nil {
			return err
		}
		return answers[0]
	})
	switch {
	case err != nil:
		return err
	case !jobsHere:
		return h.row(ctx, job)
	}
	holding.MarkSettled()
	h.tell(Event{Point: RowMade, Job: job.ID(), Token: job.Attempt()})
	return nil
}

// keyLife is longer than any campaign.
const keyLife = 24 * time.Hour

func (h *hand) charge(ctx context.Context, job twice.Job[Args]) error {
	do := func(ctx context.Context, key string) (made, error) {
		return h.remote.make(ctx, "charge", key, job.Attempt())
	}
	if h.control == LedgerOff {
		_, err := do(ctx, attemptKey(job, stepCharge))
		return err
	}
	effect := ledger.Effect[made]{Step: stepCharge, Do: do, KeyLife: keyLife}
	if shapeOf(job.Args.N).asks {
		effect.Confirm = h.remote.find
	}
	_, err := ledger.Once(ctx, h.store.Ledger, effect)
	return err
}

// mail may leave the job in doubt, for a person: the remote can be asked nothing.
func (h *hand) mail(ctx context.Context, job twice.Job[Args]) error {
	do := func(ctx context.Context, key string) (made, error) {
		return h.remote.make(ctx, "mail", key, job.Attempt())
	}
	if h.control == LedgerOff {
		_, err := do(ctx, attemptKey(job, stepMail))
		return err
	}
	_, err := ledger.Once(ctx, h.store.Ledger, ledger.Effect[made]{Step: stepMail, Do: do, Doubt: ledger.Park})
	return err
}
