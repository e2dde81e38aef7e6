package httpapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// DeadGroups are dead jobs by what they have in common, the largest group first.
type DeadGroups struct {
	Groups  []DeadGroup `json:"groups"`
	Scanned int         `json:"scanned"` // dead jobs that were looked at
	Other   int         `json:"other"`   // of those, jobs in groups beyond the first 500
	Next    string      `json:"next"`    // where to go on, where not all were looked at; empty: all were
}

// DeadGroup is dead jobs of one queue and kind that gave up for one reason with errors of one signature.
type DeadGroup struct {
	Queue     string       `json:"queue"`
	Kind      string       `json:"kind"`
	Reason    queue.Reason `json:"reason"`
	Signature string       `json:"signature"` // the error without what differs from job to job
	Jobs      int          `json:"jobs"`
	First     time.Time    `json:"first_ended_at,omitzero"`
	Last      time.Time    `json:"last_ended_at,omitzero"`
	Error     string       `json:"error"` // of the newest
	IDs       []queue.ID   `json:"ids"`   // of the newest, at most 10
}

const (
	maxGroups   = 500
	groupIDs    = 10
	defaultScan = 10_000
	maxScan     = 100_000
)

// groupKey is what the jobs of a group have in common.
type groupKey struct {
	queue, kind string
	reason      queue.Reason
	signature   string
}

func (s *Server) groupDead(ctx context.Context, c *call) (DeadGroups, error) {
	look, err := queue.Need[queue.Inspector](s.engine, c.name)
	if err != nil {
		return DeadGroups{}, err
	}
	leave, err := s.through(c.name)
	if err != nil {
		return DeadGroups{}, err
	}
	defer leave()
	q := queryOf(c)
	q.State, q.Cursor = queue.Dead, c.text("cursor")
	all := DeadGroups{Groups: []DeadGroup{}}
	groups := map[groupKey]*DeadGroup{}
	all.Next, err = scan(ctx, look, q, c.number("scan"), func(r queue.Record) bool {
		all.Scanned++
		key := groupKey{r.Job.Queue, r.Job.Kind, r.Reason, queue.Signature(r.Error)}
		g := groups[key]
		if g == nil && len(groups) == maxGroups {
			all.Other++
			return true
		}
		if g == nil {
			g = &DeadGroup{Queue: key.queue, Kind: key.kind, Reason: key.reason, Signature: key.signature, Error: cut(r.Error, errorInLists)}
			groups[key] = g
		}
		g.add(r)
		return true
	})
	for _, g := range groups {
		all.Groups = append(all.Groups, *g)
	}
	slices.SortFunc(all.Groups, func(a, b DeadGroup) int {
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Signature, b.Signature), cmp.Compare(a.Reason, b.Reason))
	})
	return all, err
}

func (g *DeadGroup) add(r queue.Record) {
	g.Jobs++
	if len(g.IDs) < groupIDs {
		g.IDs = append(g.IDs, r.Job.ID)
	}
	ended := sane(r.EndedAt)
	if g.First.IsZero() || ended.Before(g.First) {
		g.First = ended
	}
	if ended.After(g.Last) {
		g.Last = ended
	}
}
