package sqlite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

var (
	cutsFlag = flag.Int("cuts", part(200, 60), "power cuts")
	seedFlag = flag.Uint64("seed", 1, "of the power cuts and kills")
)

// told is what an engine has told its callers: nothing of it may be undone.
type told struct {
	accepted bool
	ended    queue.State // 0: not told of an end
	token    int64       // the highest that a lease carried
	finish   bool        // its end was asked for, so it may be done, and pruned
}

// witness remembers what was told.
type witness struct {
	mu   sync.Mutex
	told map[string]told
}

func (w *witness) note(key string, change func(*told)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.told[key]
	change(&f)
	w.told[key] = f
}

func (w *witness) sofar() map[string]told {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.told)
}

// powercut is a moment: what the disk would keep, and what had been told before.
type powercut struct {
	image map[string][]byte
	told  map[string]told
}

// life runs producers, workers and a pruner on a disk until so many cuts were taken, at random operations.
func life(t *testing.T, seed uint64, from powercut, cfg Config, cuts int) []powercut {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 7))
	dir := t.TempDir()
	must(t, writeImage(dir, from.image))
	d := newDisk(from.image, fmt.Sprintf("wal_autocheckpoint(%d)", []int{4, 40, 1000}[chance.IntN(3)]))
	w := &witness{told: maps.Clone(from.told)}
	if w.told == nil {
		w.told = map[string]told{}
	}
	var ahead atomic.Int64 // the clock jumps, so that there is something to prune
	cfg.through, cfg.sealAt, cfg.Logger = d.technology(), 24, silent
	cfg.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }

	var taken []powercut
	enough := make(chan struct{})
	next := 1 + chance.IntN(20)
	ops := 0
	d.breaks(func(op operation, _ int, _ string) error {
		if op == opRead || op == opOpen {
			return nil
		}
		if ops++; ops == next && len(taken) < cuts {
			next += 1 + chance.IntN(200)
			source := chance
			if chance.IntN(3) == 0 {
				source = nil
			}
			taken = append(taken, powercut{told: w.sofar(), image: d.cut(source)})
			if len(taken) == cuts {
				close(enough)
			}
		}
		return nil
	})
	e, err := Open(filepath.Join(dir, "q.db"), cfg)
	must(t, err)

	stop, giveUp := context.WithCancel(ctx)
	var all sync.WaitGroup
	for p := range 3 {
		all.Go(func() { produce(t, stop, e, w, fmt.Sprintf("%d-%d", seed, p)) })
	}
	for range 2 {
		all.Go(func() { consume(t, stop, e, w) })
	}
	all.Go(func() {
		for i := 0; stop.Err() == nil; i++ {
			if i%8 == 7 {
				ahead.Add(int64(25 * time.Hour))
			}
			if _, err := e.Prune(stop, 10); err != nil && stop.Err() == nil {
				t.Errorf("prune: %v", err)
			}
			time.Sleep(2 * time.Millisecond)
		}
	})
	select {
	case <-enough:
	case <-time.After(time.Minute):
		t.Error("too few operations in a minute")
	}
	giveUp()
	all.Wait()
	must(t, e.Close())
	d.mu.Lock()
	defer d.mu.Unlock()
	return taken
}

// produce enqueues in every way there is.
func produce(t *testing.T, stop context.Context, e *Engine, w *witness, name string) {
	for i := 0; stop.Err() == nil; i++ {
		keys := []string{fmt.Sprintf("%s-%d", name, i)}
		if i%5 == 0 {
			keys = append(keys, keys[0]+"b", keys[0]+"c")
		}
		batch := make([]queue.Job, len(keys))
		for k, key := range keys {
			batch[k] = named(key)
		}
		var receipts []queue.Receipt
		var err error
		switch i % 4 {
		case 0, 1:
			receipts, err = e.Enqueue(stop, batch...)
		case 2:
			err = e.Atomically(stop, func(ctx context.Context, tx queue.SQL) (err error) {
				receipts, err = e.In(tx).Enqueue(ctx, batch...)
				return err
			})
		default:
			err = func() error {
				tx, err := e.DB().BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				if receipts, err = e.In(tx).Enqueue(ctx, batch...); err != nil {
					return errors.Join(err, tx.Rollback())
				}
				return tx.Commit()
			}()
		}
		if stop.Err() != nil {
			return
		}
		if err != nil {
			t.Errorf("enqueue: %v", err)
			return
		}
		for k, r := range receipts {
			if r.Status != queue.Accepted {
				t.Errorf("enqueue %s: %s", keys[k], r.Status)
			}
			w.note(keys[k], func(f *told) { f.accepted = true })
		}
	}
}

// consume claims, and ends attempts in every way there is.
func consume(t *testing.T, stop context.Context, e *Engine, w *witness) {
	for stop.Err() == nil {
		leases, err := e.Claim(stop, request(4, func(c *queue.Claim) { c.Wait = 20 * time.Millisecond }))
		if stop.Err() != nil {
			return
		}
		if err != nil {
			t.Errorf("claim: %v", err)
			return
		}
		for _, l := range leases {
			w.note(l.Job.Key, func(f *told) { f.token = max(f.token, l.Token) })
			end := done(l)
			switch l.Job.ID[15] % 8 {
			case 0:
				end = buried(l)
			case 1:
				if l.Token < 3 {
					end = failed(l)
				}
			case 2:
				continue // left to lapse
			}
			if end.State == queue.Done {
				w.note(l.Job.Key, func(f *told) { f.finish = true })
			}
			answers, err := e.Settle(stop, end)
			if stop.Err() != nil {
				return
			}
			if err == nil && errors.Is(answers[0], queue.ErrLeaseLost) {
				continue // the clock's jump ended it
			}
			if err != nil || answers[0] != nil {
				t.Errorf("settle: %v, %v", answers, err)
				return
			}
			if end.State.Ended() {
				w.note(l.Job.Key, func(f *told) { f.ended = end.State })
			}
		}
	}
}

// lost opens what a cut left and counts what had been told and is not there. Whatever was lost, the rest must be whole.
func (c powercut) lost(t *testing.T, cfg Config) (n int) {
	t.Helper()
	dir := t.TempDir()
	must(t, writeImage(dir, c.image))
	cfg.Now = func() time.Time { return time.Now().Add(24 * 365 * time.Hour) } // after all that the life saw
	cfg.UniqueFor, cfg.Logger = 24*365*10*time.Hour, silent
	cfg.through = modernc // which knows nothing of the disk; the look need not be durable
	cfg.through.dsn = func(path string, pragmas ...string) string { return dsn(path, append(pragmas, "synchronous(OFF)")...) }
	e, err := Open(filepath.Join(dir, "q.db"), cfg)
	if err != nil {
		t.Errorf("open after the cut: %v", err)
		return 1
	}
	defer func() { must(t, e.Close()) }()
	var sound string
	must(t, e.DB().QueryRow("PRAGMA integrity_check").Scan(&sound))
	if sound != "ok" {
		t.Errorf("after the cut: %s", sound)
	}
	books := balanced(t, e)

	there := map[string]queue.Record{}
	byID := map[queue.ID]queue.Record{}
	var q queue.Query
	for q.Limit = queue.MaxPage; ; {
		page, err := e.List(ctx, q)
		must(t, err)
		for _, r := range page.Records {
			if _, twice := byID[r.Job.ID]; twice {
				t.Errorf("%s is there twice", r.Job.ID)
			}
			byID[r.Job.ID] = r
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	var again []queue.Job
	var keys []string
	for key, f := range c.told {
		r, found := byID[idOfKey(key)]
		there[key] = r
		pruned := !found && f.finish && books.Pruned > 0
		switch {
		case pruned, !f.accepted && !found:
			continue
		case !found,
			f.ended != 0 && r.State != f.ended,
			r.Token < f.token:
			n++
			continue
		}
		again, keys = append(again, named(key)), append(keys, key)
	}
	receipts, err := e.Enqueue(ctx, again...)
	must(t, err)
	for i, r := range receipts {
		if r.Status != queue.Duplicate || r.HolderState != there[keys[i]].State {
			t.Errorf("%s is there, %s, and was enqueued again: %s, %s", keys[i], there[keys[i]].State, r.Status, r.HolderState)
		}
	}
	drain(t, e) // leases told or not run out a year later: the first claim gives them one more ttl
	balanced(t, e)
	return n
}

func TestPowerCut(t *testing.T) {
	t.Parallel()
	const lives, generations = 10, 2
	each := max(1, *cutsFlag/lives/generations)
	var cuts, lost, informed atomic.Int64
	t.Run("lives", func(t *testing.T) {
		for n := range uint64(lives) {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				var from powercut
				for g := range uint64(generations) { // the second begins with what a cut of the first left
					taken := life(t, *seedFlag+100*n+g, from, Config{}, each)
					for _, c := range taken {
						lost.Add(int64(c.lost(t, Config{})))
						cuts.Add(1)
						informed.Add(int64(len(c.told)))
					}
					if len(taken) > 0 {
						from = taken[len(taken)/2]
					}
				}
			})
		}
	})
	t.Logf("seed %d: %d power cuts, %d jobs told of before them, %d lost", *seedFlag, cuts.Load(), informed.Load(), lost.Load())
	if lost.Load() > 0 {
		t.Errorf("%d acknowledged jobs, leases or ends were lost", lost.Load())
	}
}

// The control: what is not synced at each commit is lost, and this campaign sees it.
func TestPowerCutControl(t *testing.T) {
	t.Parallel()
	lost := 0
	taken := life(t, *seedFlag, powercut{}, Config{Relaxed: true}, part(20, 5))
	for _, c := range taken {
		lost += c.lost(t, Config{})
	}
	t.Logf("synchronous=NORMAL: %d power cuts, %d lost", len(taken), lost)
	if lost == 0 {
		t.Error("nothing was lost, so the campaign could not see a loss")
	}
}
