package suite

import (
	"context"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
	"github.com/twicehq/twice/internal/loadtest"
)

// SQL is the honest limit of SQLite: plain SQL with the promises' bare costs.
func SQL(index rawsql.Index) Contestant {
	name := "limit"
	if index != rawsql.Plain {
		name += "-" + string(index)
	}
	info := peer.Info{
		Name:       name,
		About:      "plain SQL on SQLite (modernc) with the promises' bare costs, " + string(index) + " id index",
		Durability: "fsync every commit (WAL, FULL)",
		Reference:  true,
	}
	return Limit(info, func(ctx context.Context, dir string, mode peer.Mode) (Bare, error) {
		s, err := rawsql.Open(ctx, dir, index, mode)
		if err != nil {
			return nil, err
		}
		return &sqlHand{Store: s}, nil
	})
}

// sqlHand is a store and its only hand: it has one connection.
type sqlHand struct {
	*rawsql.Store
	held []rawsql.Lease
}

func (h *sqlHand) Hands(int) []Hand { return []Hand{h} }

func (h *sqlHand) Cycle(ctx context.Context, ids []int64, n int) (int, error) {
	held, err := h.Store.Cycle(ctx, ids, h.held, n)
	h.held = held
	return len(held), err
}

// limitEffect changes the application's row and ends the job in one commit, one job at a time.
func limitEffect(ctx context.Context, e loadtest.Env, b Bare) (values, error) {
	s, ok := b.(*sqlHand)
	if !ok {
		return nil, loadtest.ErrCannot
	}
	return Together(s.Hands(64), e.Length, func(Hand, int) func() (int, error) {
		return func() (int, error) {
			leases, err := s.Claim(ctx, 64)
			for i := 0; err == nil && i < len(leases); i++ {
				err = s.Effect(ctx, leases[i])
			}
			return len(leases), err
		}
	})
}
