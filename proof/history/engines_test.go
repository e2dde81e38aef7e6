package history

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

var (
	record = flag.Bool("record", false, "write docs/evidence/histories.txt")

	box  = flag.Duration("box", 1200*time.Millisecond, "how long each engine works under load")
	jobs = flag.Int("jobs", 60, "jobs of each engine under load")
)

var quietLog = slog.New(slog.NewTextHandler(io.Discard, nil))

// engines opens each engine that exists, as handles that share what is stored.
var engines = []struct {
	name string
	open func(*testing.T) []queue.Engine
}{
	{"memory", func(t *testing.T) []queue.Engine { return []queue.Engine{openMemory(t)} }},
	{"sqlite", func(t *testing.T) []queue.Engine { return openSQLite(t, 1) }},
	{"sqlite, two handles", func(t *testing.T) []queue.Engine { return openSQLite(t, 2) }},
	{"redis", func(t *testing.T) []queue.Engine {
		s := redistest.Start(t, redistest.Options{Persistence: redistest.Always})
		return []queue.Engine{openRedis(t, s.URL()), openRedis(t, s.URL())}
	}},
	{"redis, connections cut before the reply", func(t *testing.T) []queue.Engine {
		s := redistest.Start(t, redistest.Options{})
		p := redistest.Proxy(t, s.Addr())
		e := openRedis(t, p.URL())
		dropNowAndThen(t, p)
		return []queue.Engine{e, openRedis(t, s.URL())}
	}},
}

// dropNowAndThen loses the replies that come next, again and again, until the test ends.
func dropNowAndThen(t *testing.T, p *redistest.FaultProxy) {
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			pause(ctx, 60*time.Millisecond)
			before := p.Hits()
			p.DropReplies("EVALSHA")
			for end := time.Now().Add(100 * time.Millisecond); p.Hits() == before && time.Now().Before(end) && ctx.Err() == nil; {
				pause(ctx, time.Millisecond)
			}
			p.Heal()
		}
		p.Heal()
	})
	t.Cleanup(func() { stop(); done.Wait() })
}

func openMemory(t *testing.T) queue.Engine {
	t.Helper()
	e, err := memory.New(memory.Config{})
	return opened(t, e, err)
}

func newMemoryAt(t *testing.T, at *clock) queue.Engine {
	t.Helper()
	e, err := memory.New(memory.Config{Now: at.Now})
	return opened(t, e, err)
}

func openSQLite(t *testing.T, handles int) (all []queue.Engine) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q.db")
	for range handles {
		e, err := sqlite.Open(path, sqlite.Config{Logger: quietLog})
		all = append(all, opened(t, e, err))
	}
	return all
}

func openRedis(t *testing.T, url string) queue.Engine {
	t.Helper()
	e, err := redis.Open(context.Background(), url, redis.Config{Logger: quietLog})
	return opened(t, e, err)
}

func opened(t *testing.T, e queue.Engine, err error) queue.Engine {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// What clients see of each engine, with replies lost, callers frozen and leases that run out, keeps every rule; and
// another checker agrees that it is linearizable.
func TestEnginesUnderFaults(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			rec := NewRecorder(nil)
			var handles []queue.Engine
			for i, e := range engine.open(t) {
				handles = append(handles, rec.Engine(loseReplies(e, 12), fmt.Sprint("handle ", i)))
			}
			ops := newLoad(t, rec, *jobs, handles...).run(*box)
			began := time.Now()
			report := Check(ops, Config{})
			took := time.Since(began)
			for _, b := range report.Breaches {
				t.Error(b)
			}
			if len(report.Undecided) > 0 {
				t.Errorf("undecided: %v", report.Undecided)
			}
			if t.Failed() {
				keep(t, ops)
			}
			began = time.Now()
			checked, ok := linearizable(t, ops)
			if !ok {
				t.Error("not linearizable")
			}
			n := counts(ops)
			if n[Claim] < 20 || n[Settle] < 20 || report.Unknown == 0 || n["lost"] == 0 || n["replaced"] == 0 {
				t.Errorf("too little happened: %v, %d unknown", n, report.Unknown)
			}
			line := fmt.Sprintf("%-40s %5d operations on %d jobs, %4d of unknown outcome, %4d leases replaced, %4d told that a lease was lost: 0 breaches (%s); linearizable (%d operations, %s)",
				engine.name, report.Ops, report.Jobs, report.Unknown, n["replaced"], n["lost"], took.Round(time.Millisecond), checked, time.Since(began).Round(time.Millisecond))
			t.Log(line)
			figures.add(line)
		})
	}
}
