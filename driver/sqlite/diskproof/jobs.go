package diskproof

import (
	"context"
	"log/slog"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/queue"
)

const (
	jobQueue = "default"
	jobKind  = "diskproof.noop"
)

var payload = []byte(`{"id":"00000000000000000000000001","tenant":"acme-industries","pad":"xxxxxxxxxxxxxxxxxxxxxxxxxxx"}`)

// silent is for engines that have every reason to complain.
var silent = slog.New(slog.DiscardHandler)

func named(key string) queue.Job {
	return queue.Job{Queue: jobQueue, Kind: jobKind, Key: key, Payload: payload}
}

func idOf(key string) queue.ID { return queue.NewID(jobKind, key) }

func request(n int, wait time.Duration) queue.Claim {
	return queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{jobQueue}, Kinds: []string{jobKind}, Max: n, TTL: time.Minute, Wait: wait}
}

func done(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
}

func failed(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: "it failed"}
}

func buried(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Dead, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Reason: queue.ReasonFailures, Error: "it gave up"}
}

// drain claims and ends what is due.
func drain(ctx context.Context, e *sqlite.Engine) error {
	for {
		leases, err := e.Claim(ctx, request(1000, 0))
		if err != nil || len(leases) == 0 {
			return err
		}
		ends := make([]queue.Settlement, len(leases))
		for i, l := range leases {
			ends[i] = done(l)
		}
		answers, err := e.Settle(ctx, ends...)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if a != nil {
				return a
			}
		}
	}
}

// balanced holds that the books add up, and that the counts are those of the scan.
func balanced(ctx context.Context, e *sqlite.Engine, f *findings) (of queue.Books, err error) {
	books, err := e.Audit(ctx)
	if err != nil {
		return of, err
	}
	depths, err := e.Depths(ctx)
	if err != nil {
		return of, err
	}
	for i, b := range books {
		d := depths[i]
		if b.Missing() != 0 {
			f.broke("the books of %s do not add up: %+v", b.Queue, b)
		}
		if got := (queue.Tally{Queued: d.Queued, Running: d.Running, Done: d.Done, Dead: d.Dead, Cancelled: d.Cancelled}); got != b.Found {
			f.broke("counts %+v, by scan %+v", got, b.Found)
		}
		if b.Queue == jobQueue {
			of = b
		}
	}
	return of, nil
}

// everything lists all records, and finds those that are there twice.
func everything(ctx context.Context, e *sqlite.Engine, f *findings) (map[queue.ID]queue.Record, error) {
	all := map[queue.ID]queue.Record{}
	for q := (queue.Query{Limit: queue.MaxPage}); ; {
		page, err := e.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			if _, twice := all[r.Job.ID]; twice {
				f.broke("%s is there twice", r.Job.ID)
			}
			all[r.Job.ID] = r
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return all, nil
		}
	}
}
