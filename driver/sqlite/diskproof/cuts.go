package diskproof

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/twicehq/twice/driver/sqlite/faultdisk"
)

// PowerCuts is campaign F5: lives of an engine with producers, workers and a pruner, in which the power is cut at random
// operations; what each cut leaves is opened, and held to what had been told before it.
type PowerCuts struct {
	Dir     string // where files may be made
	Seed    uint64
	Lives   int
	Ages    int  // of a life: each but the first begins with what a cut left of the one before
	Cuts    int  // of each age
	Relaxed bool // the control: the engine does not sync each commit
}

// Cut is what it came to.
type Cut struct {
	Cuts   int
	Jobs   int      // accepted
	Known  int      // jobs that had been told of before each cut, summed
	Facts  int      // what had been told of them: accepted, leased, ended
	Lost   int      // jobs of which something was not there
	Broken []string // what else was not as it has to be
}

// Run fights it.
func (c PowerCuts) Run(ctx context.Context) (Cut, error) {
	s := &cutting{PowerCuts: c}
	var all sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	errs := make([]error, c.Lives)
	for n := range c.Lives {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			errs[n] = s.live(ctx, uint64(n))
		})
	}
	all.Wait()
	s.sum.Broken = s.found.list()
	return s.sum, errors.Join(errs...)
}

// cutting is a campaign under way.
type cutting struct {
	PowerCuts
	found findings

	mu   sync.Mutex
	sum  Cut
	left int // images that were kept
}

// file is the name of every engine's.
const file = "q.db"

// powercut is a moment: what the disk would keep, and what had been told before.
type powercut struct {
	image faultdisk.Image
	told  map[string]told
}

func (s *cutting) live(ctx context.Context, n uint64) error {
	var from powercut
	for age := range uint64(s.Ages) {
		seed := s.Seed + 100*n + age
		taken, jobs, err := s.age(ctx, seed, from)
		s.mu.Lock()
		s.sum.Jobs += jobs
		s.mu.Unlock()
		if err != nil {
			return err
		}
		for i, c := range taken {
			if err := s.judge(ctx, fmt.Sprintf("%d-%d", seed, i+1), c); err != nil {
				return err
			}
		}
		if len(taken) > 0 {
			from = taken[len(taken)/2]
		}
	}
	return nil
}

// keptImages is how many disks are kept on which something was broken.
const keptImages = 3

// judge looks at what a cut left, and keeps it where that is not as it has to be.
func (s *cutting) judge(ctx context.Context, name string, c powercut) error {
	dir, err := os.MkdirTemp(s.Dir, "cut-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := c.image.Write(dir); err != nil {
		return err
	}
	before := s.found.count()
	lost := look(ctx, filepath.Join(dir, file), c.told, &s.found)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.Cuts++
	s.sum.Known += len(c.told)
	for _, f := range c.told {
		s.sum.Facts += f.facts()
	}
	s.sum.Lost += lost
	if s.Relaxed || lost == 0 && s.found.count() == before || s.left == keptImages {
		return nil
	}
	s.left++
	return c.image.Write(filepath.Join(s.Dir, "left-by-cut-"+name))
}
