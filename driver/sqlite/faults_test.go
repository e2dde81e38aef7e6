package sqlite_test

import (
	"flag"
	"testing"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/driver/sqlite/diskproof"
)

var strideFlag = flag.Int("stride", sqlite.Part(1, 8), "of the places where an operation fails, every so manyeth")

// Each operation of a life fails once, at every place: no success is told that is not one, nothing hangs, and work goes
// on. Where the process dies after a failed fsync, and then the power fails, nothing that was told is lost either.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, plan := range diskproof.Plans() {
		t.Run(plan, func(t *testing.T) {
			stride := *strideFlag
			if plan == diskproof.ThenCut {
				stride = 1
			}
			fault, err := diskproof.Faults{Dir: t.TempDir(), Seed: *sqlite.Seed, Plans: []string{plan}, Stride: stride}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d operations failed, %d jobs, %d lost", fault.Tried(), fault.Places, fault.Jobs, fault.Lost)
			for _, b := range fault.Broken {
				t.Error(b)
			}
			if want := (fault.Places + stride - 1) / stride; fault.Tried() < want-want/20-1 {
				t.Errorf("only %d of %d operations failed", fault.Tried(), want)
			}
		})
	}
}
