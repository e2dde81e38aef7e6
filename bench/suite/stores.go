package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/bench/disk"
	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
)

// stores keeps one filled store of each shape, which every run gets a copy of.
type stores struct {
	dir  string
	ids  *atomic.Int64
	log  io.Writer
	made map[string]error

	weights map[string]int64 // of the servers once they were filled
}

// template returns the directory of a closed store with jobs at rest and jobs waiting.
func (s *stores) template(ctx context.Context, c Contestant, rest, waiting int) (string, error) {
	dir := filepath.Join(s.dir, "filled", fmt.Sprintf("%s-%d-%d", c.Name, rest, waiting))
	if err, ok := s.made[dir]; ok {
		return dir, err
	}
	start := time.Now()
	err := s.make(ctx, c, dir, rest, waiting)
	s.made[dir] = err
	if took := time.Since(start); took > time.Second {
		fmt.Fprintf(s.log, "filled %s: %d at rest, %d waiting, %.1f s\n", c.Name, rest, waiting, took.Seconds())
	}
	return dir, err
}

func (s *stores) make(ctx context.Context, c Contestant, dir string, rest, waiting int) error {
	ctx, cancel := context.WithTimeout(ctx, fillLimit)
	defer cancel()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if rest > 0 && waiting > 0 { // the rest may be there already
		from, err := s.template(ctx, c, rest, 0)
		if err != nil {
			return err
		}
		if err := disk.Copy(dir, from); err != nil {
			return err
		}
		rest = 0
	}
	store, err := c.open(ctx, dir, peer.Filling)
	if err != nil {
		return err
	}
	err = s.fill(ctx, store, rest, waiting)
	if w, ok := store.(Weigher); ok && err == nil {
		s.weights[dir], err = w.Weight(ctx)
	}
	return errors.Join(err, store.Close())
}

func (s *stores) fill(ctx context.Context, store io.Closer, rest, waiting int) error {
	if rest > 0 {
		cold, ok := store.(loadtest.Colder)
		if !ok {
			return loadtest.ErrCannot
		}
		if err := s.env().Chunks(ctx, rest, cold.EnqueueCold); err != nil {
			return err
		}
	}
	if bulk, ok := store.(loadtest.Bulker); ok {
		return s.env().Chunks(ctx, waiting, bulk.EnqueueBulk)
	}
	return s.oneByOne(ctx, waiting, store.(peer.Peer))
}

func (s *stores) env() loadtest.Env { return loadtest.Env{IDs: s.ids} }

func (s *stores) oneByOne(ctx context.Context, n int, p peer.Peer) error {
	var left atomic.Int64
	left.Store(int64(n))
	errs := make([]error, 64)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for errs[i] == nil && left.Add(-1) >= 0 {
				errs[i] = p.Enqueue(ctx, s.ids.Add(1))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// use opens a copy of a template for one run and removes it afterwards.
func (s *stores) use(ctx context.Context, c Contestant, rest, waiting int, do func(io.Closer) error) error {
	from, err := s.template(ctx, c, rest, waiting)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.dir, c.Name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := disk.Copy(dir, from); err != nil {
		return err
	}
	store, err := c.open(ctx, dir, peer.Measured)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}
