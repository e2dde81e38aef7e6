package sqlite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// script is a short life of an engine, step by step. What a step was told stands, whatever fails after it.
type script struct {
	t      *testing.T
	path   string
	cfg    Config
	e      *Engine
	ahead  atomic.Int64
	leases []queue.Lease
	told   map[string]told
	effect bool
	opens  int
}

type step struct {
	name string
	do   func(*script) error
}

// put enqueues jobs; a duplicate is what a repeated call gets.
func put(keys ...string) step {
	return step{"enqueue", func(s *script) error {
		batch := make([]queue.Job, len(keys))
		for i, k := range keys {
			batch[i] = named(k)
		}
		receipts, err := s.e.Enqueue(ctx, batch...)
		return s.accepted(keys, receipts, err)
	}}
}

func (s *script) accepted(keys []string, receipts []queue.Receipt, err error) error {
	if err != nil {
		return err
	}
	for i, k := range keys {
		if st := receipts[i].Status; st != queue.Accepted && st != queue.Duplicate {
			s.t.Errorf("enqueue %s: %s, %v", k, st, receipts[i].Err)
		}
		s.told[k] = told{accepted: true}
	}
	return nil
}

// get claims by a request that is the same when it is repeated.
func get(n int) step {
	req := request(n)
	return step{"claim", func(s *script) error {
		leases, err := s.e.Claim(ctx, req)
		if err != nil {
			return err
		}
		for _, l := range leases {
			f := s.told[l.Job.Key]
			f.token = max(f.token, l.Token)
			s.told[l.Job.Key] = f
		}
		s.leases = append(s.leases, leases...)
		return nil
	}}
}

// end settles what was leased, one way each.
func end(ways ...func(queue.Lease) queue.Settlement) step {
	return step{"settle", func(s *script) error {
		n := min(len(ways), len(s.leases))
		ends := make([]queue.Settlement, n)
		for i := range ends {
			ends[i] = ways[i](s.leases[i])
		}
		answers, err := s.e.Settle(ctx, ends...)
		if err != nil {
			return err
		}
		for i, a := range answers {
			if a != nil {
				s.t.Errorf("settle: %v", a)
			} else if ends[i].State.Ended() {
				f := s.told[ends[i].Lease.Job.Key]
				f.ended = ends[i].State
				s.told[ends[i].Lease.Job.Key] = f
			}
		}
		s.leases = s.leases[n:]
		return nil
	}}
}

var scriptTry = ledger.Try{Step: "charge", ID: ledger.NewTryID()}

var steps1 = []step{
	put("a"), put("b", "c", "d", "e"), get(3),
	{"extend", func(s *script) error {
		answers, err := s.e.Extend(ctx, time.Minute, s.leases...)
		return errors.Join(append(answers, err)...)
	}},
	{"effect", func(s *script) error {
		if len(s.leases) == 0 {
			return nil
		}
		try := scriptTry
		try.Lease = s.leases[0]
		if _, err := s.e.Ledger().Intend(ctx, try); err != nil {
			return err
		}
		if err := s.e.Ledger().Confirm(ctx, try, []byte("paid")); err != nil {
			return err
		}
		s.effect = true
		return nil
	}},
	end(done, buried, failed),
	{"own transaction", func(s *script) error {
		tx, err := s.e.DB().BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		receipts, err := s.e.In(tx).Enqueue(ctx, named("f"), named("g"))
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return s.accepted([]string{"f", "g"}, receipts, tx.Commit())
	}},
	{"shared commit", func(s *script) error {
		var receipts []queue.Receipt
		err := s.e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) (err error) {
			receipts, err = s.e.In(tx).Enqueue(ctx, named("h"))
			return err
		})
		return s.accepted([]string{"h"}, receipts, err)
	}},
	get(10), end(done, done, done),
	{"prune", func(s *script) error {
		s.ahead.Store(int64(25 * time.Hour))
		_, err := s.e.Prune(ctx, 100)
		return err
	}},
	put("i", "j", "k", "l", "m", "n"), put("o"),
	{"ping", func(s *script) error { return s.e.Ping(ctx) }},
	{"audit", func(s *script) error { _, err := s.e.Audit(ctx); return err }},
	{"look", func(s *script) error {
		if _, err := s.e.Job(ctx, idOfKey("o")); err != nil {
			return err
		}
		_, err := s.e.Depths(ctx)
		return err
	}},
}

// usual is how a call may fail because of the disk.
var usual = []error{queue.ErrUnavailable, queue.ErrUnknownOutcome, queue.ErrFull, queue.ErrReadOnly, queue.ErrCorrupt}

func (s *script) typed(what string, err error) {
	var known *queue.Error
	if !errors.As(err, &known) || !slices.ContainsFunc(usual, func(r error) bool { return errors.Is(err, r) }) {
		s.t.Errorf("%s: an error without a type: %v", what, err)
	} else if known.Remedy == "" && !errors.Is(err, queue.ErrUnavailable) {
		s.t.Errorf("%s: an error without a remedy: %v", what, err)
	}
}

func (s *script) open() {
	for try := 0; s.e == nil; try++ {
		var err error
		within(s.t, 20*time.Second, "open", func() { s.e, err = Open(s.path, s.cfg) })
		if err != nil {
			s.e = nil
			s.typed("open", err)
			if try == 3 {
				s.t.Fatalf("open does not heal: %v", err)
			}
		}
	}
	s.opens++
}

// outside are transactions of the application: their errors, and their repetition, are its own.
func (st step) outside() bool { return st.name == "own transaction" }

func (s *script) play(steps []step) {
	s.open()
	for _, st := range steps {
		for try := 0; ; try++ {
			var err error
			within(s.t, 20*time.Second, st.name, func() { err = st.do(s) })
			if err == nil {
				break
			}
			if !st.outside() {
				s.typed(st.name, err)
				if errors.Is(err, sqlite3.IOERR_FSYNC) && !s.broken() {
					s.t.Errorf("%s: the handle goes on after a failed fsync", st.name)
				}
			}
			if try == 3 {
				s.t.Fatalf("%s does not heal: %v", st.name, err)
			}
			if s.broken() { // fail-stop: only another process, or handle, may go on
				if err := s.e.Ping(ctx); !errors.Is(err, queue.ErrUnavailable) {
					s.t.Errorf("ping after a failed fsync: %v", err)
				}
				_ = s.e.Close()
				s.e = nil
				s.open()
			}
		}
	}
	within(s.t, 20*time.Second, "close", func() { _ = s.e.Close() })
}

// broken asks whether the engine has given up its handle.
func (s *script) broken() bool {
	err := s.e.Ping(ctx)
	return err != nil && strings.Contains(err.Error(), "an fsync failed")
}

// verify holds the file, on a sound disk, to what was told.
func (s *script) verify() {
	cfg := s.cfg
	e, err := Open(s.path, cfg)
	must(s.t, err)
	defer func() { must(s.t, e.Close()) }()
	balanced(s.t, e)
	for key, f := range s.told {
		r, err := e.Job(ctx, idOfKey(key))
		switch {
		case f.ended == queue.Done && errors.Is(err, queue.ErrNotFound): // pruned
		case err != nil:
			s.t.Errorf("%s was accepted: %v", key, err)
		case f.ended != 0 && r.State != f.ended, r.Token < f.token:
			s.t.Errorf("%s is %s at token %d, told %s at %d", key, r.State, r.Token, f.ended, f.token)
		default:
			if got, err := e.Enqueue(ctx, named(key)); err != nil || got[0].Status != queue.Duplicate {
				s.t.Errorf("%s enqueued again: %v, %v", key, got, err)
			}
		}
	}
	entries, err := e.Ledger().Entries(ctx, idOfKey("a"))
	must(s.t, err)
	if s.effect && (len(entries) != 1 || entries[0].State != ledger.Confirmed) {
		s.t.Errorf("the effect was confirmed, and the ledger has %v", entries)
	}
	page, err := e.List(ctx, queue.Query{Limit: queue.MaxPage})
	must(s.t, err)
	seen := map[queue.ID]bool{}
	for _, r := range page.Records {
		if seen[r.Job.ID] {
			s.t.Errorf("%s is there twice", r.Job.Key)
		}
		seen[r.Job.ID] = true
	}
}

func newScript(t *testing.T, d *disk) *script {
	s := &script{t: t, path: filepath.Join(t.TempDir(), "q.db"), told: map[string]told{}}
	s.cfg = Config{through: d.technology(), sealAt: 4, Logger: silent, BusyTimeout: time.Second,
		Now: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }}
	return s
}

var strideFlag = flag.Int("stride", part(1, 8), "of the places where an operation fails, every so manyeth")

// Each operation of a life fails once, at every place: no success is told that is not one, nothing hangs, and work goes
// on.
func TestFaults(t *testing.T) {
	t.Parallel()
	plans := []struct {
		name string
		op   operation
		err  error
	}{
		{"write EIO", opWrite, sqlite3.IOERR_WRITE},
		{"write torn", opWrite, torn{sqlite3.IOERR_WRITE}},
		{"write ENOSPC", opWrite, sqlite3.FULL},
		{"fsync EIO", opSync, sqlite3.IOERR_FSYNC},
		{"truncate EIO", opTruncate, sqlite3.IOERR_TRUNCATE},
		{"read EIO", opRead, sqlite3.IOERR_READ},
		{"open EMFILE", opOpen, sqlite3.CANTOPEN},
		{"delete EIO", opDelete, sqlite3.IOERR_DELETE},
	}
	var mu sync.Mutex
	fired := map[string]int{}
	t.Run("plans", func(t *testing.T) {
		for _, p := range plans {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				for n, more := 1, true; more; n += *strideFlag {
					t.Run(fmt.Sprint(n), func(t *testing.T) {
						d := newDisk(nil, "wal_autocheckpoint(8)")
						more = false
						d.breaks(func(op operation, i int, _ string) error {
							if op == p.op && i == n {
								more = true
								return p.err
							}
							return nil
						})
						s := newScript(t, d)
						s.play(steps1)
						d.breaks(nil)
						s.verify()
						if p.op == opSync && s.opens > 2 {
							t.Errorf("opened %d times", s.opens)
						}
					})
					if more {
						mu.Lock()
						fired[p.name]++
						mu.Unlock()
					}
				}
			})
		}
	})
	t.Logf("faults: %v", fired)
}

// A process that dies after a failed fsync leaves a log in which the next one finds commits that are in the kernel's
// memory and, though every later fsync succeeds, never come to the disk. What is answered on their strength must
// survive the power's failure all the same.
func TestFailedSyncThenCut(t *testing.T) {
	t.Parallel()
	steps := []step{put("a"), put("b"), put("c", "d"), get(2), end(done, failed), put("e")}
	for n, more := 1, true; more; n++ {
		more = false
		d := newDisk(nil)
		d.breaks(func(op operation, i int, _ string) error {
			if op == opSync && i == n {
				more = true
				return sqlite3.IOERR_FSYNC
			}
			return nil
		})
		s := newScript(t, d)
		var err error
		if s.e, err = Open(s.path, s.cfg); err != nil {
			continue
		}
		from := 0
		for ; from < len(steps) && err == nil; from++ {
			err = steps[from].do(s)
		}
		if err == nil {
			must(t, s.e.Close())
			continue
		}
		// The process is killed: the next one sees what the kernel has, beside what the disk has.
		dir := t.TempDir()
		for _, name := range []string{"q.db", "q.db-wal"} {
			b, err := os.ReadFile(filepath.Join(filepath.Dir(s.path), name))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
		}
		d.mu.Lock()
		left := d.cut(nil)
		d.mu.Unlock()
		_ = s.e.Close()
		next := newDisk(left)
		s.path, s.cfg.through, s.e, s.leases = filepath.Join(dir, "q.db"), next.technology(), nil, nil
		s.open()
		for _, st := range steps[from-1:] {
			must(t, st.do(s))
		}
		next.mu.Lock()
		left = next.cut(nil)
		next.mu.Unlock()
		_ = s.e.Close()

		dir = t.TempDir()
		must(t, writeImage(dir, left))
		s.path, s.cfg.through = filepath.Join(dir, "q.db"), technology{}
		s.verify()
		if t.Failed() {
			t.Fatalf("after fsync %d failed", n)
		}
	}
}
