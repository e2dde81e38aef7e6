package outbox

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/twicehq/twice/queue"
)

// Config of a relay; zero fields mean the default of their comments.
type Config struct {
	Name   string        // who forwards, as shown to people: "relay"
	Lease  time.Duration // 5 s; how long jobs that a dead relay was forwarding wait for another
	Batch  int           // 1,000; jobs forwarded at once, at most what either engine takes
	Logger *slog.Logger  // slog.Default()
}

// Relay moves jobs from a box to the engine that works them. Any number may run on one box.
type Relay struct {
	from, to queue.Engine
	cfg      Config
}

// NewRelay makes a relay.
func NewRelay(from, to queue.Engine, cfg Config) *Relay {
	cfg.Name = cmp.Or(cfg.Name, "relay")
	cfg.Lease = cmp.Or(cfg.Lease, 5*time.Second)
	cfg.Batch = min(cmp.Or(cfg.Batch, 1000), from.Traits().MaxBatch, to.Traits().MaxBatch)
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	return &Relay{from, to, cfg}
}

// listen is how long one look at an empty box lasts.
const listen = 5 * time.Second

// Run forwards until ctx ends. It outlives an engine that cannot be reached, on either side: jobs wait meanwhile. A
// job that the other engine refuses is dead in the box, with the reason.
func (r *Relay) Run(ctx context.Context) error {
	for pause := time.Duration(0); ctx.Err() == nil; {
		_, err := r.Once(ctx, listen)
		switch {
		case errors.Is(err, queue.ErrClosed):
			return err
		case err == nil:
			pause = 0
		case ctx.Err() == nil:
			pause = min(max(2*pause, 50*time.Millisecond), 5*time.Second)
			r.cfg.Logger.WarnContext(ctx, "jobs wait in the outbox", "error", err, "again_in", pause)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
	return nil
}

// Once forwards one batch, and waits up to wait for the first job of it. It gives how many jobs have left the box. After
// an error those that have not come back by themselves, when their lease runs out at the latest.
func (r *Relay) Once(ctx context.Context, wait time.Duration) (int, error) {
	leases, err := r.from.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: r.cfg.Name, Queues: []string{Queue}, Kinds: []string{Kind},
		Max: r.cfg.Batch, TTL: r.cfg.Lease, Wait: wait})
	if err != nil || len(leases) == 0 {
		return 0, err
	}
	ends := make([]queue.Settlement, len(leases))
	var jobs []queue.Job
	var of []int
	for i, l := range leases {
		ends[i] = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
		j, err := unwrapped(l.Job)
		if err != nil {
			r.refuse(ctx, &ends[i], err)
			continue
		}
		jobs, of = append(jobs, j), append(of, i)
	}
	receipts, failed := r.to.Enqueue(ctx, jobs...)
	for n, i := range of {
		switch {
		case failed != nil: // another try, by this relay or another; it is counted as nothing, for it says nothing of the job
			ends[i].State, ends[i].Outcome, ends[i].Error = queue.Queued, queue.OutcomeInterrupted, failed.Error()
		case receipts[n].Status == queue.Conflict || receipts[n].Status == queue.Refused:
			r.refuse(ctx, &ends[i], receipts[n].Err)
		}
	}
	// What was forwarded is settled even where ctx has ended meanwhile: else it would be forwarded once more.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	answers, err := r.from.Settle(last, ends...)
	if err := errors.Join(failed, err); err != nil {
		return 0, err
	}
	n := 0
	for _, err := range answers {
		if err == nil { // else another relay has it by now, and forwards it again: the same id
			n++
		}
	}
	return n, nil
}

// refuse ends an envelope that nobody will take, for a person to see.
func (r *Relay) refuse(ctx context.Context, s *queue.Settlement, why error) {
	s.State, s.Outcome, s.Reason, s.Error = queue.Dead, queue.OutcomeBuried, queue.ReasonBuried, why.Error()
	r.cfg.Logger.ErrorContext(ctx, "a job in the outbox cannot be forwarded: it is dead there", "job_id", s.Lease.Job.Key, "error", why)
}
