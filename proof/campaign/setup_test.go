package campaign_test

import (
	"context"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

// scene is a field in a test of a single case, for at most a minute.
type scene struct {
	*campaign.Field
	t   *testing.T
	ctx context.Context
}

func enter(t *testing.T, cfg campaign.Config) *scene {
	t.Helper()
	f, err := campaign.Enter(t.Context(), world(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Leave(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return &scene{f, t, ctx}
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// enqueue enqueues jobs and gives their ids.
func (s *scene) enqueue(jobs ...campaign.Args) []queue.ID {
	s.t.Helper()
	receipts, err := s.Enqueue(s.ctx, jobs...)
	s.must(err)
	ids := make([]queue.ID, len(receipts))
	for i, r := range receipts {
		if ids[i] = r.ID; r.Status != queue.Accepted {
			s.t.Fatalf("%+v", r)
		}
	}
	return ids
}

// healthy are n jobs with effects, none of which a kill can leave in doubt.
func healthy(n int) []campaign.Args {
	all := make([]campaign.Args, n)
	for i := range all {
		all[i] = campaign.Args{N: 10 * i}
	}
	return all
}

func (s *scene) until(what string, holds func() bool) {
	s.t.Helper()
	s.must(s.Until(s.ctx, what, func(context.Context) (bool, error) { return holds(), nil }))
}

func (s *scene) record(id queue.ID) queue.Record {
	s.t.Helper()
	look, ok := queue.As[queue.Inspector](s.Store.Engine)
	if !ok {
		s.t.Fatal("no inspector")
	}
	rec, err := look.Job(s.ctx, id)
	s.must(err)
	return rec
}

func (s *scene) list(q queue.Query) []queue.Record {
	s.t.Helper()
	look, ok := queue.As[queue.Inspector](s.Store.Engine)
	if !ok {
		s.t.Fatal("no inspector")
	}
	page, err := look.List(s.ctx, q)
	s.must(err)
	return page.Records
}

// want fails unless the job is in this state with these counts (not kept of a job that is done).
func (s *scene) want(id queue.ID, state queue.State, counts queue.Counts) queue.Record {
	s.t.Helper()
	rec := s.record(id)
	if rec.State != state || rec.Whole && rec.Counts != counts {
		s.t.Errorf("job is %s %q with %+v, want %s with %+v; error %.300q", rec.State, rec.Reason, rec.Counts, state, counts, rec.Error)
	}
	return rec
}

// patience bounds a campaign: in a suite a world that does not come to rest is a failure, and its report says of what.
func patience() time.Duration {
	if *kills > 0 || *servers > 0 || *cuts > 0 || *freezes > 0 || *jobs > 0 || *backlog > 0 {
		return time.Hour
	}
	return 4 * time.Minute
}
