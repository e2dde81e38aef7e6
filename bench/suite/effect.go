package suite

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
)

// effect asks how quickly a backlog drains whose handler changes a row of the application's own table,
// exactly once: the change and the job's completion are one transaction.
var effect = Scenario{
	Scenario: loadtest.Scenario{
		Name:    "effect",
		What:    "drain of jobs that each change a row of the application's table, in one transaction with their completion",
		Waiting: true,
		Sweep:   true,
		Figures: []loadtest.Figure{loadtest.Rate},
		Run:     runEffect,
	},
	Limit: limitEffect,
}

func runEffect(ctx context.Context, e loadtest.Env, t loadtest.Target) (values, error) {
	x, ok := t.(peer.Effecter)
	if !ok {
		return nil, loadtest.ErrCannot
	}
	v, before, err := loadtest.Empty(ctx, e, t, x.StartEffects)
	if err != nil {
		return nil, err
	}
	left, err := t.Pending(ctx)
	if err != nil {
		return nil, err
	}
	made, err := x.Effects(ctx)
	if err == nil && made != before-left {
		err = fmt.Errorf("%d jobs are done and %d effects are made", before-left, made)
	}
	return values{loadtest.PerSecond: v[loadtest.PerSecond]}, err
}
