package diskproof

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/driver/sqlite/faultdisk"
	"github.com/twicehq/twice/driver/sqlite/internal/rig"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

const (
	hang  = 20 * time.Second // what takes longer never ends
	heals = 3                // repetitions after which a call has to succeed
)

// script is a short life of an engine, step by step. What a step was told stands, whatever fails after it.
type script struct {
	name   string // of the place where an operation fails
	dir    string
	path   string
	cfg    sqlite.Config
	rig    rig.Rig
	e      *sqlite.Engine
	ahead  atomic.Int64
	leases []queue.Lease
	told   map[string]told
	try    ledger.Try
	effect bool // it was confirmed
	opens  int
	lost   int
	found  *findings
}

type step struct {
	name string
	do   func(context.Context, *script) error
}

func newScript(dir, name string, r rig.Rig, found *findings) (*script, error) {
	dir, err := os.MkdirTemp(dir, "script-")
	if err != nil {
		return nil, err
	}
	s := &script{name: name, dir: dir, path: filepath.Join(dir, file), told: map[string]told{}, found: found,
		try: ledger.Try{Step: "charge", ID: ledger.NewTryID()}}
	s.on(r)
	s.cfg = sqlite.Config{Logger: silent, BusyTimeout: time.Second, Now: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }}
	return s, nil
}

// on says on which SQLite the engine is opened next. Its blocks of ids are small, so that a short life seals some.
func (s *script) on(r rig.Rig) {
	r.SealAt = 4
	s.rig = r
}

func (s *script) broke(format string, args ...any) {
	s.found.broke("%s: %s", s.name, fmt.Sprintf(format, args...))
}

// within reports whether fn returned in time; where it did not, it is left behind.
func (s *script) within(what string, fn func() error) (err error, ended bool) {
	over := make(chan error, 1)
	go func() { over <- fn() }()
	select {
	case err := <-over:
		return err, true
	case <-time.After(hang):
		s.broke("%s hangs", what)
		return nil, false
	}
}

// usual is how a call may fail because of the disk.
var usual = []error{queue.ErrUnavailable, queue.ErrUnknownOutcome, queue.ErrFull, queue.ErrReadOnly, queue.ErrCorrupt}

func (s *script) typed(what string, err error) {
	var known *queue.Error
	if !errors.As(err, &known) || !slices.ContainsFunc(usual, func(r error) bool { return errors.Is(err, r) }) {
		s.broke("%s: an error without a type: %v", what, err)
	} else if known.Remedy == "" && !errors.Is(err, queue.ErrUnavailable) {
		s.broke("%s: an error without a remedy: %v", what, err)
	}
}

// open opens the engine, and reports whether it could.
func (s *script) open() bool {
	for try := 0; ; try++ {
		var e *sqlite.Engine
		err, ended := s.within("open", func() (err error) { e, err = sqlite.OpenRigged(s.path, s.cfg, s.rig); return err })
		if !ended {
			return false
		}
		if err == nil {
			s.e = e
			s.opens++
			return true
		}
		s.typed("open", err)
		if try == heals {
			s.broke("open does not heal: %v", err)
			return false
		}
	}
}

// play takes all steps, each again until it succeeds, and reports whether it came to the end.
func (s *script) play(ctx context.Context, steps []step) bool {
	if !s.open() {
		return false
	}
	for _, st := range steps {
		for try := 0; ; try++ {
			err, ended := s.within(st.name, func() error { return st.do(ctx, s) })
			if !ended || ctx.Err() != nil {
				return false
			}
			if err == nil {
				break
			}
			if !st.outside() {
				s.typed(st.name, err)
				if syncFailed(err) && !s.gaveUp(ctx) {
					s.broke("%s: the handle goes on after a failed fsync", st.name)
				}
			}
			if try == heals {
				s.broke("%s does not heal: %v", st.name, err)
				return false
			}
			if s.gaveUp(ctx) { // fail-stop: only another process, or handle, may go on
				if err := s.e.Ping(ctx); !errors.Is(err, queue.ErrUnavailable) {
					s.broke("ping after a failed fsync: %v", err)
				}
				_ = s.e.Close()
				if !s.open() {
					return false
				}
			}
		}
	}
	_, ended := s.within("close", func() error { _ = s.e.Close(); return nil })
	return ended
}

// syncFailed asks SQLite's code.
func syncFailed(err error) bool {
	var e interface{ Code() int }
	return errors.As(err, &e) && e.Code() == int(faultdisk.BadSync)
}

// gaveUp asks whether the engine has given up its handle.
func (s *script) gaveUp(ctx context.Context) bool {
	err := s.e.Ping(ctx)
	return err != nil && strings.Contains(err.Error(), "an fsync failed")
}

// verify holds the file, on a sound disk, to what was told.
func (s *script) verify(ctx context.Context) {
	e, err := sqlite.OpenRigged(s.path, s.cfg, s.rig)
	if err != nil {
		s.broke("open at the end: %v", err)
		return
	}
	if err := errors.Join(s.compare(ctx, e), e.Close()); err != nil && ctx.Err() == nil {
		s.broke("at the end: %v", err)
	}
}

func (s *script) compare(ctx context.Context, e *sqlite.Engine) error {
	if _, err := balanced(ctx, e, s.found); err != nil {
		return err
	}
	for key, f := range s.told {
		r, err := e.Job(ctx, idOf(key))
		switch {
		case f.ended == queue.Done && errors.Is(err, queue.ErrNotFound): // pruned
		case err != nil:
			s.lost++
			s.broke("%s was accepted: %v", key, err)
		case f.denied(r):
			s.lost++
			s.broke("%s is %s at token %d, told %s at %d", key, r.State, r.Token, f.ended, f.token)
		default:
			if got, err := e.Enqueue(ctx, named(key)); err != nil || got[0].Status != queue.Duplicate {
				s.broke("%s enqueued again: %v, %v", key, got, err)
			}
		}
	}
	entries, err := e.Ledger().Entries(ctx, idOf("a"))
	if err != nil {
		return err
	}
	if s.effect && (len(entries) != 1 || entries[0].State != ledger.Confirmed) {
		s.lost++
		s.broke("the effect was confirmed, and the ledger has %v", entries)
	}
	_, err = everything(ctx, e, s.found)
	return err
}

func (s *script) remove() { _ = os.RemoveAll(s.dir) }
