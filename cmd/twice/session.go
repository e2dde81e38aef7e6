package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// session is one run of one command: what it was told for all commands alike, and what it has open.
type session struct {
	Main
	json bool
	url  string

	opened   queue.Engine
	recorded ledger.Store // nil: not opened yet, or there is none
	closers  []func() error
}

// engine opens the engine to look at or to change what is in it. Where the store is missing it makes none.
func (s *session) engine(ctx context.Context) (queue.Engine, error) { return s.open(ctx, true) }

// engineOrNew opens the engine, and makes its store where that is missing.
func (s *session) engineOrNew(ctx context.Context) (queue.Engine, error) { return s.open(ctx, false) }

func (s *session) open(ctx context.Context, existing bool) (queue.Engine, error) {
	if s.opened != nil {
		return s.opened, nil
	}
	e, err := s.Open(ctx, s.url, existing)
	if err != nil {
		return nil, &unreachable{err}
	}
	s.opened = e
	s.closers = append(s.closers, e.Close)
	return e, nil
}

// ledger opens the record of effects: the one that TWICE_LEDGER names, or the engine's own; nil: neither.
func (s *session) ledger(ctx context.Context, engine queue.Engine) (ledger.Store, error) {
	if s.recorded != nil {
		return s.recorded, nil
	}
	store, closing, err := open.Ledger(ctx, engine, s.Env("TWICE_LEDGER"))
	if err != nil {
		return nil, &unreachable{err}
	}
	s.closers = append(s.closers, closing)
	s.recorded = store
	return store, nil
}

// close closes what was opened, the last first, and gives the first error.
func (s *session) close() (err error) {
	for len(s.closers) > 0 {
		last := len(s.closers) - 1
		if e := s.closers[last](); err == nil {
			err = e
		}
		s.closers = s.closers[:last]
	}
	return err
}

// with opens the engine and finds an ability of it; op says what for.
func with[C any](ctx context.Context, s *session, op string) (queue.Engine, C, error) {
	var none C
	engine, err := s.engine(ctx)
	if err != nil {
		return nil, none, err
	}
	ability, err := queue.Need[C](engine, op)
	return engine, ability, err
}

// emit writes v as the one JSON document of this run.
func (s *session) emit(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return &queue.Error{Op: "answer", Reason: queue.ErrInvalid, Cause: err}
	}
	return s.write(s.Stdout, append(harmlessJSON(b), '\n'))
}

// say writes a line for people. Texts of others must have gone through plain.
func (s *session) say(format string, args ...any) error {
	return s.write(s.Stdout, fmt.Appendf(nil, format+"\n", args...))
}

// note writes a line beside the answer; none with --json.
func (s *session) note(format string, args ...any) {
	if !s.json {
		_ = s.write(s.Stderr, fmt.Appendf(nil, format+"\n", args...))
	}
}

// promise says what a reported success survives.
func (s *session) promise(engine queue.Engine) {
	t := engine.Traits()
	s.note("%s", s.faint(fmt.Sprintf("engine %s: %s", plain(t.Name), plain(t.Durability))))
}
