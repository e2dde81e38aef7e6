package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"

	"github.com/twicehq/twice/bench/noise"
)

// sample is one run on an open store.
func (r *runner) sample(ctx context.Context, sc Scenario, c Contestant, store io.Closer, set Setting, round int) (s Sample, err error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	debug.FreeOSMemory()
	noise.Wait(ctx, r.cfg.Gate, r.cfg.Quiet)
	if round == 0 && r.cfg.Profiles != "" {
		stop, err := profile(filepath.Join(r.cfg.Profiles, fmt.Sprintf("%s-%s-%d-%d.pprof", sc.Name, c.Name, set.Workers, set.Threads)))
		if err != nil {
			return s, err
		}
		defer stop()
	}
	s.Setting = set
	if set.Threads > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(set.Threads))
	}
	w, helpers := noise.Start(), watchHelpers(store)
	s.Values, err = c.run(ctx, sc, r.cfg.env(set.Workers, r.ids), store)
	s.Foreign = max(0, w.Foreign()-helpers.cores())
	return s, err
}

func profile(file string) (stop func(), err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, nil
}
