package prove

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/proof/ground"
)

// disks are attacks on the disk under the engine's files. They make stores of their own.
var disks = []Part{
	{ID: "F5", Title: "power cuts: what was not synced is gone, or torn", Shows: "nothing that was told is lost", bare: true, fight: powerCut},
	{ID: "F6", Title: "the n-th write, fsync, read, … of the engine's files fails", Shows: "no false success, no hang, and work goes on", bare: true, fight: failing},
}

var diskControls = []Part{
	{ID: "C7", Title: "synchronous=NORMAL, under F5", Shows: "what was told is lost", Control: true, once: true, bare: true, fight: relaxed},
}

func powerCut(ctx context.Context, r *round) error {
	cut, err := r.Ground.CutPower(ctx, ground.PowerCuts{Dir: r.dir, Seed: r.seed, Lives: 4, Ages: 2, Cuts: 12})
	if err != nil {
		return err
	}
	r.tellCut(cut)
	for _, b := range cut.Broken {
		r.broke("%s (seed %d)", b, r.seed)
	}
	if cut.Lost > 0 {
		r.broke("%d jobs lost what had been told of them before a power cut, seed %d", cut.Lost, r.seed)
	}
	if cut.Cuts == 0 || cut.Facts == 0 {
		return errShown
	}
	return nil
}

func (r *round) tellCut(cut ground.Cut) {
	r.found.Cuts, r.found.Jobs, r.found.Lost = cut.Cuts, cut.Jobs, cut.Lost
	r.note("%d power cuts, %d facts about %d jobs told of before them, %d lost", cut.Cuts, cut.Facts, cut.Known, cut.Lost)
}

// relaxed takes away the sync of each commit. What is left must be whole all the same.
func relaxed(ctx context.Context, r *round) error {
	cut, err := r.Ground.CutPower(ctx, ground.PowerCuts{Dir: r.dir, Seed: r.seed, Lives: 2, Ages: 1, Cuts: 10, Relaxed: true})
	if err != nil {
		return err
	}
	r.tellCut(cut)
	if len(cut.Broken) > 0 {
		return fmt.Errorf("more than the latest commits was lost: %s", cut.Broken[0])
	}
	if cut.Lost > 0 {
		r.broke("%d jobs lost what had been told of them, in %d power cuts", cut.Lost, cut.Cuts)
	}
	return nil
}

// operations fail for so long in a round; other rounds try other places.
const operations = 5 * time.Second

func failing(ctx context.Context, r *round) error {
	fault, err := r.Ground.FailOperations(ctx, ground.Faults{Dir: r.dir, Seed: r.seed, Within: operations})
	if err != nil {
		return err
	}
	tried := fault.Tried()
	r.found.Cuts, r.found.Jobs, r.found.Lost = tried, fault.Jobs, fault.Lost
	r.note("%d operations failed, each in a life of its own, of the %d that could", tried, fault.Places)
	for _, b := range fault.Broken {
		r.broke("%s", b)
	}
	if tried == 0 {
		return errShown
	}
	return nil
}
