package suite

import (
	"context"

	"github.com/twicehq/twice/internal/loadtest"
)

// Weigher is a store that tells how much memory its server uses.
type Weigher interface {
	Weight(ctx context.Context) (int64, error)
}

// memory asks what a waiting job costs in the server's memory, by the difference that filling made.
var memory = Scenario{
	Scenario: loadtest.Scenario{
		Name:    "memory",
		What:    "bytes of the server's memory (used_memory) per waiting job, over the jobs at rest",
		Rest:    true,
		Figures: []loadtest.Figure{{Name: "bytes", Unit: "B/job"}},
	},
	Static: func(ctx context.Context, cfg Config, s *stores, c Contestant) (values, error) {
		var weight [2]int64
		for i, rest := range []int{0, cfg.Rest} {
			dir, err := s.template(ctx, c, rest, 0)
			if err != nil {
				return nil, err
			}
			w, ok := s.weights[dir]
			if !ok {
				return nil, loadtest.ErrCannot
			}
			weight[i] = w
		}
		return values{"bytes": float64(weight[1]-weight[0]) / float64(cfg.Rest)}, nil
	},
}
