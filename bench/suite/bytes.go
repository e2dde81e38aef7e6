package suite

import (
	"context"

	"github.com/twicehq/twice/bench/disk"
	"github.com/twicehq/twice/internal/loadtest"
)

// bytes asks what a waiting job costs on the disk, once the store is closed and so checkpointed.
var bytes = Scenario{
	Scenario: loadtest.Scenario{
		Name:    "bytes",
		What:    "bytes on disk per waiting job, over the jobs at rest, after a checkpoint",
		Rest:    true,
		Figures: []loadtest.Figure{{Name: "bytes", Unit: "B/job"}},
	},
	Static: func(ctx context.Context, cfg Config, s *stores, c Contestant) (values, error) {
		var size [2]int64
		for i, rest := range []int{0, cfg.Rest} {
			dir, err := s.template(ctx, c, rest, 0)
			if err != nil {
				return nil, err
			}
			if size[i], err = disk.Size(dir); err != nil {
				return nil, err
			}
		}
		return values{"bytes": float64(size[1]-size[0]) / float64(cfg.Rest)}, nil
	},
}
