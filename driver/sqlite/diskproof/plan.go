package diskproof

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/driver/sqlite/faultdisk"
	"github.com/twicehq/twice/driver/sqlite/internal/rig"
)

// plan is what fails, and what comes of it.
type plan struct {
	name    string
	op      faultdisk.Operation
	err     error
	fight   func(context.Context, *script, *faultdisk.Disk)
	pragmas []string
}

// ThenCut is the plan in which the process that saw an fsync fail is killed, and then the power fails.
const ThenCut = "fsync EIO, kill -9, power cut"

// often copies the log into the database within a short life.
var often = []string{"wal_autocheckpoint(8)"}

var plans = []plan{
	{"write EIO", faultdisk.Write, faultdisk.BadWrite, healing, often},
	{"write torn", faultdisk.Write, faultdisk.Torn{Err: faultdisk.BadWrite}, healing, often},
	{"write ENOSPC", faultdisk.Write, faultdisk.Full, healing, often},
	{"fsync EIO", faultdisk.Sync, faultdisk.BadSync, failStop, often},
	{"truncate EIO", faultdisk.Truncate, faultdisk.BadTruncate, healing, often},
	{"read EIO", faultdisk.Read, faultdisk.BadRead, healing, often},
	{"open EMFILE", faultdisk.Open, faultdisk.CannotOpen, healing, often},
	{"delete EIO", faultdisk.Delete, faultdisk.BadDelete, healing, often},
	{ThenCut, faultdisk.Sync, faultdisk.BadSync, thenCut, nil},
}

// Plans names them.
func Plans() (names []string) {
	for _, p := range plans {
		names = append(names, p.name)
	}
	return names
}

// healing: no success is told that is not one, nothing hangs, and work goes on.
func healing(ctx context.Context, s *script, d *faultdisk.Disk) {
	if s.play(ctx, whole()) {
		d.Break(nil)
		s.verify(ctx)
	}
}

// failStop: the handle is given up, and one more is enough.
func failStop(ctx context.Context, s *script, d *faultdisk.Disk) {
	if healing(ctx, s, d); s.opens > 2 {
		s.broke("opened %d times", s.opens)
	}
}

// thenCut: a process that dies after a failed fsync leaves a log in which the next one finds commits that are in the
// kernel's memory and, though every later fsync succeeds, never come to the disk. What is answered on their strength must
// survive the power's failure all the same.
func thenCut(ctx context.Context, s *script, d *faultdisk.Disk) {
	if err := s.thenCut(ctx, d); err != nil && ctx.Err() == nil {
		s.broke("%v", err)
	}
}

func (s *script) thenCut(ctx context.Context, d *faultdisk.Disk) error {
	steps := brief()
	from, err := s.untilFailure(ctx, steps)
	if err == nil || s.e == nil {
		return nil // nothing failed, or the engine did not open: nothing was told
	}
	// The process is killed: the next one sees what the kernel has, beside what the disk has.
	seen := faultdisk.Image{}
	for _, name := range []string{file, file + "-wal"} {
		if seen[name], err = os.ReadFile(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	left := d.Cut(nil)
	_ = s.e.Close()
	next := faultdisk.New(left)
	defer next.Close()
	dir := filepath.Join(s.dir, "next")
	if err := seen.Write(dir); err != nil {
		return err
	}
	s.path, s.leases = filepath.Join(dir, file), nil
	s.on(next.Rig())
	if !s.open() {
		return nil
	}
	for _, st := range steps[from:] {
		if err := st.do(ctx, s); err != nil {
			_ = s.e.Close()
			return fmt.Errorf("%s in the next process: %w", st.name, err)
		}
	}
	left = next.Cut(nil)
	_ = s.e.Close()
	dir = filepath.Join(s.dir, "left")
	if err := left.Write(dir); err != nil {
		return err
	}
	s.path = filepath.Join(dir, file)
	s.on(rig.Rig{})
	s.verify(ctx)
	return nil
}

// untilFailure opens the engine and takes steps, and gives the one that failed.
func (s *script) untilFailure(ctx context.Context, steps []step) (n int, err error) {
	if s.e, err = sqlite.OpenRigged(s.path, s.cfg, s.rig); err != nil {
		s.e = nil
		return 0, err
	}
	for n, st := range steps {
		if err := st.do(ctx, s); err != nil {
			return n, err
		}
	}
	return 0, s.e.Close()
}
