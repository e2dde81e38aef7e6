package httpapi

import (
	"context"
	"slices"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Jobs is a page of jobs, newest first.
type Jobs struct {
	Jobs []Job  `json:"jobs"`
	Next string `json:"next"` // the cursor of what follows; empty: nothing does
}

// pageStep is how many records are asked of the engine at a time: each may carry a payload as large as it allows.
const pageStep = 100

func (s *Server) listJobs(ctx context.Context, c *call) (Jobs, error) {
	look, err := queue.Need[queue.Inspector](s.engine, c.name)
	if err != nil {
		return Jobs{}, err
	}
	all := Jobs{Jobs: []Job{}, Next: c.text("cursor")}
	q := queryOf(c)
	for left := c.number("limit"); left > 0; {
		q.Cursor, q.Limit = all.Next, min(left, pageStep)
		page, err := look.List(ctx, q)
		if err != nil {
			return Jobs{}, err
		}
		for _, r := range page.Records {
			all.Jobs = append(all.Jobs, summary(r))
		}
		left -= len(page.Records)
		if all.Next = page.Next; all.Next == "" || len(page.Records) == 0 {
			break
		}
	}
	return all, nil
}

// queryOf reads the filter of a list.
func queryOf(c *call) queue.Query {
	q := queue.Query{Queue: c.text("queue"), Kind: c.text("kind"), Reason: queue.Reason(c.text("reason"))}
	if state := c.text("state"); state != "" {
		_ = q.State.UnmarshalText([]byte(state)) // one of the words that the route allows
	}
	return q
}

func (s *Server) getJob(ctx context.Context, c *call) (Job, error) { return s.job(ctx, c, c.id("id")) }

func (s *Server) findJob(ctx context.Context, c *call) (Job, error) {
	return s.job(ctx, c, queue.NewID(c.text("kind"), c.text("key")))
}

// job looks one job up, in the engine and in the ledger.
func (s *Server) job(ctx context.Context, c *call, id queue.ID) (Job, error) {
	look, err := queue.Need[queue.Inspector](s.engine, c.name)
	if err != nil {
		return Job{}, err
	}
	record, err := look.Job(ctx, id)
	if err != nil {
		return Job{}, err
	}
	var entries []ledger.Entry
	if s.store != nil {
		if entries, err = s.store.Entries(ctx, id); err != nil {
			return Job{}, err
		}
	}
	v := viewJob(record, entries)
	if record.State == queue.Queued && record.Job.Queue != "" {
		depths, err := look.Depths(ctx, record.Job.Queue)
		if err != nil {
			return Job{}, err
		}
		v.Paused = slices.ContainsFunc(depths, func(d queue.Depth) bool { return d.Paused })
	}
	return v, nil
}
