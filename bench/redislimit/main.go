// Command redislimit measures the honest limit of Redis by itself: what a server does in scripts with no more than the
// promises' bare costs, by layout, jobs a script and scripts under way; and the same in single commands. See ../README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawredis"
	"github.com/twicehq/twice/bench/redisdir"
	"github.com/twicehq/twice/bench/suite"
	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/internal/redistest/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "redislimit:", err)
		os.Exit(2)
	}
}

// shape is how many jobs a script moves, and how many scripts are under way.
type shape struct{ batch, hands int }

var shapes = []shape{{1, 1}, {1, 64}, {16, 4}, {64, 1}, {64, 4}, {250, 4}, {1000, 4}}

const single = "single commands"

func run(ctx context.Context) error {
	runs := flag.Int("runs", 3, "runs of each figure")
	rest := flag.Int("rest", 0, "jobs at rest meanwhile")
	length := flag.Duration("dur", time.Second, "length of one run")
	persist := flag.String("persist", "none,everysec,always", "persistence of the server, by comma")
	layouts := flag.String("layout", "plain,listed,packed,"+single, "layouts, by comma")
	dir := flag.String("dir", "", "make the stores below this directory (default: the system's for temporary files)")
	flag.Parse()
	b := bench{length: *length, rest: *rest, ids: new(atomic.Int64)}
	for _, p := range []server.Persistence{server.None, server.EverySec, server.Always} {
		if !strings.Contains(*persist, p.String()) {
			continue
		}
		fmt.Printf("\n## %s\n| layout | jobs a script | scripts under way | stored/s | claimed and ended/s | B per waiting job |\n|---|--:|--:|--:|--:|--:|\n",
			redisdir.Durability(p))
		for layout := range strings.SplitSeq(*layouts, ",") {
			for _, s := range shapes {
				var stored, cycled, bytes []float64
				for range *runs {
					v, err := b.measure(ctx, *dir, layout, p, s)
					if err != nil {
						return fmt.Errorf("%s: %w", layout, err)
					}
					stored, cycled, bytes = append(stored, v[0]), append(cycled, v[1]), append(bytes, v[2])
				}
				fmt.Printf("| %s | %d | %d | %.0f | %.0f | %.0f |\n", layout, s.batch, s.hands,
					loadtest.Median(stored), loadtest.Median(cycled), loadtest.Median(bytes))
			}
		}
	}
	return nil
}

type bench struct {
	length time.Duration
	rest   int
	ids    *atomic.Int64
}

// measure stores jobs for a while, then claims and ends them; it gives both rates and the bytes of a job.
func (b bench) measure(ctx context.Context, below, layout string, p server.Persistence, s shape) (v [3]float64, err error) {
	dir, err := os.MkdirTemp(below, "twice-redislimit-")
	if err != nil {
		return v, err
	}
	defer os.RemoveAll(dir)
	l := rawredis.Layout(layout)
	if layout == single {
		l = rawredis.Plain
	}
	store, err := rawredis.Open(ctx, dir, l, p, peer.Measured)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	e := loadtest.Env{IDs: b.ids}
	if err := e.Chunks(ctx, b.rest, store.EnqueueCold); err != nil {
		return v, err
	}
	hands := store.Loops(s.hands)
	if layout == single {
		hands = store.Commands(s.hands)
	}
	before, first := weigh(ctx, store), b.ids.Load()
	rate, err := suite.Together(hands, b.length, func(h suite.Hand, _ int) func() (int, error) {
		return func() (int, error) { return s.batch, h.EnqueueBulk(ctx, e.Next(s.batch)) }
	})
	if err != nil {
		return v, err
	}
	v[0] = rate[loadtest.PerSecond]
	v[2] = (weigh(ctx, store) - before) / float64(b.ids.Load()-first)
	rate, err = suite.Together(hands, b.length, func(h suite.Hand, _ int) func() (int, error) {
		return func() (int, error) { return h.Cycle(ctx, nil, s.batch) }
	})
	v[1] = rate[loadtest.PerSecond]
	return v, err
}

func weigh(ctx context.Context, s *rawredis.Store) float64 {
	n, _ := s.Weight(ctx) // 0, and so a figure that cannot be
	return float64(n)
}
