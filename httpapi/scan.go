package httpapi

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// through takes one of the few places for work that goes through much of what is stored. It fails with
// ErrUnavailable where all are taken; else the func gives it back.
func (s *Server) through(op string) (leave func(), err error) {
	select {
	case s.scans <- struct{}{}:
		return func() { <-s.scans }, nil
	default:
		return nil, &queue.Error{Op: op, Reason: queue.ErrUnavailable, Detail: fmt.Sprintf("%d requests already go through what is stored", cap(s.scans)), Remedy: "repeat it in a moment"}
	}
}

// scan gives each record that q selects to see, until that answers false, at most limit were seen, or half of the
// time until ctx's deadline is over. It gives where to go on; empty: at the end.
func scan(ctx context.Context, look queue.Inspector, q queue.Query, limit int, see func(queue.Record) bool) (next string, err error) {
	until := time.Time{}
	if deadline, ok := ctx.Deadline(); ok {
		until = time.Now().Add(time.Until(deadline) / 2)
	}
	for {
		q.Limit = min(pageStep, limit)
		page, err := look.List(ctx, q)
		if err != nil {
			return "", err
		}
		for _, r := range page.Records {
			if !see(r) {
				return page.Next, nil
			}
		}
		limit -= len(page.Records)
		if q.Cursor = page.Next; q.Cursor == "" || limit <= 0 || !until.IsZero() && time.Now().After(until) {
			return q.Cursor, nil
		}
	}
}
