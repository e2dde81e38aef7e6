package diskproof

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/queue"
)

// party is who lives on an engine, until stop ends. What they are told they tell the witness.
type party struct {
	stop  context.Context
	e     *sqlite.Engine
	w     *witness
	found *findings
}

// prune prunes, and lets days go by.
func (p party) prune(ahead *atomic.Int64) {
	for i := 0; p.stop.Err() == nil; i++ {
		if i%8 == 7 {
			ahead.Add(int64(25 * time.Hour))
		}
		if _, err := p.e.Prune(p.stop, 10); err != nil && p.stop.Err() == nil {
			p.found.broke("prune: %v", err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// produce enqueues in every way there is.
func (p party) produce(name string) {
	for i := 0; p.stop.Err() == nil; i++ {
		keys := []string{fmt.Sprintf("%s-%d", name, i)}
		if i%5 == 0 {
			keys = append(keys, keys[0]+"b", keys[0]+"c")
		}
		batch := make([]queue.Job, len(keys))
		for k, key := range keys {
			batch[k] = named(key)
		}
		var receipts []queue.Receipt
		var err error
		switch i % 4 {
		case 0, 1:
			receipts, err = p.e.Enqueue(p.stop, batch...)
		case 2:
			err = p.e.Atomically(p.stop, func(ctx context.Context, tx queue.SQL) (err error) {
				receipts, err = p.e.In(tx).Enqueue(ctx, batch...)
				return err
			})
		default:
			receipts, err = inOwnTransaction(context.WithoutCancel(p.stop), p.e, batch)
		}
		if p.stop.Err() != nil {
			return
		}
		if err != nil {
			p.found.broke("enqueue: %v", err)
			return
		}
		for k, r := range receipts {
			if r.Status != queue.Accepted {
				p.found.broke("enqueue %s: %s", keys[k], r.Status)
			}
			p.w.note(keys[k], func(f *told) { f.accepted = true })
		}
	}
}

// inOwnTransaction enqueues in a transaction of the application's.
func inOwnTransaction(ctx context.Context, e *sqlite.Engine, batch []queue.Job) ([]queue.Receipt, error) {
	tx, err := e.DB().BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	receipts, err := e.In(tx).Enqueue(ctx, batch...)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return receipts, tx.Commit()
}

// consume claims, and ends attempts in every way there is.
func (p party) consume() {
	for p.stop.Err() == nil {
		leases, err := p.e.Claim(p.stop, request(4, 20*time.Millisecond))
		if p.stop.Err() != nil {
			return
		}
		if err != nil {
			p.found.broke("claim: %v", err)
			return
		}
		for _, l := range leases {
			if !p.end(l) {
				return
			}
		}
	}
}

// end ends an attempt, and reports whether to go on.
func (p party) end(l queue.Lease) bool {
	p.w.note(l.Job.Key, func(f *told) { f.token = max(f.token, l.Token) })
	end := done(l)
	switch l.Job.ID[15] % 8 {
	case 0:
		end = buried(l)
	case 1:
		if l.Token < 3 {
			end = failed(l)
		}
	case 2:
		return true // left to lapse
	}
	if end.State == queue.Done {
		p.w.note(l.Job.Key, func(f *told) { f.finish = true })
	}
	answers, err := p.e.Settle(p.stop, end)
	if p.stop.Err() != nil {
		return false
	}
	if err == nil && errors.Is(answers[0], queue.ErrLeaseLost) {
		return true // the clock's jump ended it
	}
	if err != nil || answers[0] != nil {
		p.found.broke("settle: %v, %v", answers, err)
		return false
	}
	if end.State.Ended() {
		p.w.note(l.Job.Key, func(f *told) { f.ended = end.State })
	}
	return true
}
