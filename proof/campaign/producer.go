package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twicehq/twice/queue"
)

// producer enqueues a campaign's jobs, portion by portion, and sends some of those it has sent before again.
type producer struct {
	f       *Field
	random  *rand.Rand
	next    int // the number of the next job
	repeats int
}

const enqueueBatch = 500

// portion enqueues the next n jobs, then repeats some of all so far, a tenth as many.
func (p *producer) portion(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	again := make([]Args, min(n/10, enqueueBatch))
	for n > 0 {
		size := min(n, enqueueBatch)
		batch := make([]Args, size)
		for i := range batch {
			batch[i] = Args{N: p.next + i}
		}
		if err := p.send(ctx, batch, queue.Accepted); err != nil {
			return err
		}
		p.next += size
		n -= size
	}
	for i := range again {
		again[i] = Args{N: p.random.IntN(p.next)}
	}
	p.repeats += len(again)
	return p.send(ctx, again, queue.Duplicate)
}

// poison enqueues one of each sort, beyond the numbers of all others.
func (p *producer) poison(ctx context.Context) error {
	var all []Args
	for i, do := range p.f.cfg.Poison {
		all = append(all, Args{N: firstPoison + i, Do: do})
	}
	return p.send(ctx, all, queue.Accepted)
}

// firstPoison is a number that no other job comes to.
const firstPoison = 1 << 30

func (p *producer) send(ctx context.Context, batch []Args, want queue.Status) error {
	if len(batch) == 0 {
		return nil
	}
	_, err := p.f.send(ctx, batch, want)
	return err
}

// send is enqueue that notes receipts other than the one wanted.
func (f *Field) send(ctx context.Context, batch []Args, want queue.Status) (repeated bool, err error) {
	receipts, repeated, err := f.enqueue(ctx, batch)
	if err != nil {
		return repeated, err
	}
	w := f.world
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, r := range receipts {
		if r.Status != want && !(repeated && r.Status == queue.Duplicate) {
			w.wrong = append(w.wrong, fmt.Sprintf("job %d is %s, not %s: %v", batch[i].N, r.Status, want, r.Err))
		}
	}
	return repeated, nil
}

// Enqueue stores jobs and waits until that is done; an id that was accepted, or was before, must end.
func (f *Field) Enqueue(ctx context.Context, jobs ...Args) ([]queue.Receipt, error) {
	receipts, _, err := f.enqueue(ctx, jobs)
	return receipts, err
}

// enqueue repeats the batch until it is known what became of it; true: it was repeated.
func (f *Field) enqueue(ctx context.Context, batch []Args) ([]queue.Receipt, bool, error) {
	kind := Kind(f.cfg.MaxCrashes, f.cfg.MaxFailures)
	jobs := make([]queue.Job, len(batch))
	for i, a := range batch {
		if f.cfg.Redriven && a.Do == "" {
			a.Do = GiveUp
		}
		var err error
		if jobs[i], err = kind.Job(ctx, a, options(a)...); err != nil {
			return nil, false, err
		}
	}
	for try := 1; ; try++ {
		receipts, err := f.Store.Engine.Enqueue(ctx, jobs...)
		if err == nil {
			f.world.mu.Lock()
			defer f.world.mu.Unlock()
			for i, r := range receipts {
				if r.Status == queue.Accepted || r.Status == queue.Duplicate {
					f.world.accepted[jobs[i].ID] = batch[i].N
					if do := batch[i].Do; do.dies() != "" {
						f.world.poison[jobs[i].ID] = do
					}
				}
			}
			return receipts, try > 1, nil
		}
		if ctx.Err() != nil {
			return nil, false, fmt.Errorf("never: %d requests are answered, in %d tries: %w", len(batch), try, errors.Join(ctx.Err(), err))
		}
		if !passing(err) {
			return nil, false, err
		}
		if try == 1 {
			f.world.leftUnanswered()
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}
