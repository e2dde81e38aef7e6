package ground

import (
	"context"
	"strings"

	"github.com/twicehq/twice/driver/sqlite/diskproof"
	"github.com/twicehq/twice/queue"
)

// Campaigns against the disk under an engine's files, and what they come to. They need no place: they make files in a
// folder, above a disk of their own that breaks.
type (
	PowerCuts = diskproof.PowerCuts
	Cut       = diskproof.Cut
	Faults    = diskproof.Faults
	Fault     = diskproof.Fault
)

// CutPower fights F5.
func (g *Ground) CutPower(ctx context.Context, c PowerCuts) (Cut, error) {
	if err := g.onDisk(); err != nil {
		return Cut{}, err
	}
	return c.Run(ctx)
}

// FailOperations fights F6.
func (g *Ground) FailOperations(ctx context.Context, f Faults) (Fault, error) {
	if err := g.onDisk(); err != nil {
		return Fault{}, err
	}
	return f.Run(ctx)
}

func (g *Ground) onDisk() error {
	if strings.HasPrefix(g.URL, "sqlite:") {
		return nil
	}
	return &queue.Error{Op: "prove", Subject: "disk", Reason: queue.ErrUnsupported, Detail: serverDisk, Remedy: "fight this campaign on sqlite:"}
}
