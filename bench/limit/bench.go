package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/twicehq/twice/bench/disk"
	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
	"github.com/twicehq/twice/internal/loadtest"
)

var commits = []int{1, 64, 500, 1000} // rows a commit

// bench keeps the filled stores and what was measured on copies of them.
type bench struct {
	dir    string
	length time.Duration
	last   int64 // job id
	shapes []shape
	probes []loadtest.Fsync
	found  map[key][]float64
	order  []key
}

// shape is a store to measure on.
type shape struct {
	index rawsql.Index
	rest  int
}

// key names a figure.
type key struct {
	shape
	commit int
	what   string
}

func (b *bench) path(s shape) string {
	return filepath.Join(b.dir, fmt.Sprintf("%s-%d", s.index, s.rest))
}

// fill makes a store with n jobs at rest.
func (b *bench) fill(ctx context.Context, index rawsql.Index, n int) error {
	s := shape{index, n}
	if err := os.Mkdir(b.path(s), 0o755); err != nil {
		return err
	}
	store, err := rawsql.Open(ctx, b.path(s), index, peer.Filling)
	if err != nil {
		return err
	}
	for done := 0; err == nil && done < n; done += 1000 {
		err = store.EnqueueCold(ctx, b.ids(min(1000, n-done)))
	}
	b.shapes = append(b.shapes, s)
	return errors.Join(err, store.Close())
}

// round measures everything once, the probe of the disk first.
func (b *bench) round(ctx context.Context) error {
	p, err := loadtest.Probe(b.dir, 500*time.Millisecond)
	if err != nil {
		return err
	}
	b.probes = append(b.probes, p)
	for _, commit := range commits {
		for _, s := range b.shapes {
			if err := b.measure(ctx, s, commit); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure inserts for a while, then claims and finishes half of it, and cycles through the other half.
func (b *bench) measure(ctx context.Context, s shape, commit int) error {
	tmp := filepath.Join(b.dir, "run")
	defer os.RemoveAll(tmp)
	if err := disk.Copy(tmp, b.path(s)); err != nil {
		return err
	}
	store, err := rawsql.Open(ctx, tmp, s.index, peer.Measured)
	if err != nil {
		return err
	}
	timed := func(what string, most int, do func() (int, error)) (n int, err error) {
		start := time.Now()
		for n < most && time.Since(start) < b.length {
			k, err := do()
			if err != nil {
				return n, err
			}
			if k == 0 {
				break
			}
			n += k
		}
		if n > 0 {
			b.add(key{s, commit, what}, float64(n)/time.Since(start).Seconds())
		}
		return n, nil
	}
	return errors.Join(b.phases(ctx, store, commit, timed), store.Close())
}

type timer func(what string, most int, do func() (int, error)) (int, error)

func (b *bench) phases(ctx context.Context, store *rawsql.Store, commit int, timed timer) error {
	inserted, err := timed("insert", 1<<30, func() (int, error) {
		return commit, store.EnqueueBulk(ctx, b.ids(commit))
	})
	if err != nil {
		return err
	}
	var held []rawsql.Lease
	if _, err := timed("claim", inserted/2, func() (int, error) {
		l, err := store.Claim(ctx, commit)
		held = append(held, l...)
		return len(l), err
	}); err != nil {
		return err
	}
	if _, err := timed("finish", len(held), func() (int, error) {
		k := min(commit, len(held))
		l := held[:k]
		held = held[k:]
		return k, store.Finish(ctx, l)
	}); err != nil {
		return err
	}
	var last []rawsql.Lease
	_, err = timed("finish + claim", inserted, func() (int, error) {
		l, err := store.Cycle(ctx, nil, last, commit)
		last = l
		return len(l), err
	})
	return err
}

func (b *bench) ids(n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		b.last++
		ids[i] = b.last
	}
	return ids
}

func (b *bench) add(k key, v float64) {
	if b.found == nil {
		b.found = map[key][]float64{}
	}
	if b.found[k] == nil {
		b.order = append(b.order, k)
	}
	b.found[k] = append(b.found[k], v)
}
