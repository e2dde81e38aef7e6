package httpapi

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// chosen is a job of a change, with what it died of.
type chosen struct {
	id     queue.ID
	reason queue.Reason
	sign   uint64
	token  int64
}

// choice is what a filter chose.
type choice struct {
	jobs    []chosen
	inDoubt int  // left out
	more    bool // the limit, or the time, stopped it
}

// choose finds the jobs of a change in the given state. By a filter jobs in doubt are left out, unless doubts.
func (s *Server) choose(ctx context.Context, op string, ch Change, state queue.State, doubts bool) (choice, error) {
	var found choice
	if ch.Filter == nil {
		for _, id := range ch.IDs {
			found.jobs = append(found.jobs, s.died(ctx, ch, id))
		}
		return found, nil
	}
	look, err := queue.Need[queue.Inspector](s.engine, op)
	if err != nil {
		return found, err
	}
	leave, err := s.through(op)
	if err != nil {
		return found, err
	}
	defer leave()
	q := queue.Query{Queue: ch.Filter.Queue, Kind: ch.Filter.Kind, Reason: ch.Filter.Reason, State: state}
	next, err := scan(ctx, look, q, 1<<62, func(r queue.Record) bool {
		switch sign := queue.Signature(r.Error); {
		case ch.Filter.Signature != nil && *ch.Filter.Signature != sign:
		case r.Reason == queue.ReasonDoubt && !doubts:
			found.inDoubt++
		case len(found.jobs) == ch.Limit:
			found.more = true
			return false
		default:
			found.jobs = append(found.jobs, chosen{r.Job.ID, r.Reason, hash(sign), r.Token})
		}
		return true
	})
	found.more = found.more || next != ""
	return found, err
}

// died looks up what a job that is named by its id had died of, where that will be compared.
func (s *Server) died(ctx context.Context, ch Change, id queue.ID) chosen {
	if look, ok := queue.As[queue.Inspector](s.engine); ok && ch.PerSecond > 0 {
		if r, err := look.Job(ctx, id); err == nil {
			return chosen{id, r.Reason, hash(queue.Signature(r.Error)), r.Token}
		}
	}
	return chosen{id: id}
}

func hash(text string) uint64 { return queue.FingerprintOf([]byte(text)) }
