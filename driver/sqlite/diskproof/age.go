package diskproof

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/driver/sqlite/faultdisk"
)

// ageLimit bounds an age whose engine does too little.
const ageLimit = time.Minute

// age runs producers, workers and a pruner on a disk until so many cuts were taken, at random operations.
func (s *cutting) age(ctx context.Context, seed uint64, from powercut) (taken []powercut, jobs int, err error) {
	chance := rand.New(rand.NewPCG(seed, 7))
	dir, err := os.MkdirTemp(s.Dir, "life-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	if err := from.image.Write(dir); err != nil {
		return nil, 0, err
	}
	d := faultdisk.New(from.image, fmt.Sprintf("wal_autocheckpoint(%d)", []int{4, 40, 1000}[chance.IntN(3)]))
	defer d.Close()
	w := newWitness(from.told)
	enough := make(chan struct{})
	next, ops := 1+chance.IntN(20), 0
	d.Break(func(m faultdisk.Moment) error {
		if !m.Op.Changes() {
			return nil
		}
		if ops++; ops == next && len(taken) < s.Cuts {
			next += 1 + chance.IntN(200)
			source := chance
			if chance.IntN(3) == 0 {
				source = nil
			}
			taken = append(taken, powercut{told: w.sofar(), image: m.Cut(source)})
			if len(taken) == s.Cuts {
				close(enough)
			}
		}
		return nil
	})

	var ahead atomic.Int64 // the clock jumps, so that there is something to prune
	r := d.Rig()
	r.SealAt = 24
	e, err := sqlite.OpenRigged(filepath.Join(dir, file), sqlite.Config{Relaxed: s.Relaxed, Logger: silent,
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }}, r)
	if err != nil {
		return nil, 0, err
	}
	stop, giveUp := context.WithCancel(ctx)
	var all sync.WaitGroup
	p := party{stop, e, w, &s.found}
	for n := range 3 {
		all.Go(func() { p.produce(fmt.Sprintf("%d-%d", seed, n)) })
	}
	for range 2 {
		all.Go(p.consume)
	}
	all.Go(func() { p.prune(&ahead) })
	select {
	case <-enough:
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(ageLimit):
		s.found.broke("seed %d: too few operations in %s", seed, ageLimit)
	}
	giveUp()
	all.Wait()
	err = errors.Join(err, e.Close())
	d.Break(nil) // taken is no longer written
	return taken, len(w.sofar()) - len(from.told), err
}
