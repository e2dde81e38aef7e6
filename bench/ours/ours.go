// Package ours is Twice itself on SQLite, used as an application would use it.
package ours

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/internal/loadtest"
)

// Info is Twice on SQLite with its default settings, but for the number of slots.
var Info = peer.Info{
	Name:       "twice",
	About:      "Twice on SQLite (modernc)",
	Durability: "fsync every commit (WAL, FULL)",
	Workers:    []int{1000, 4000},
	Open:       open,
}

type store struct {
	*loadtest.Queue
	engine *sqlite.Engine
}

func open(ctx context.Context, dir string, mode peer.Mode) (peer.Peer, error) {
	engine, err := sqlite.Open(filepath.Join(dir, "twice.db"), sqlite.Config{
		Relaxed: mode == peer.Filling, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	s := &store{engine: engine}
	if s.Queue, err = loadtest.On(ctx, engine); err == nil {
		err = peer.CreateAccounts(ctx, engine.DB())
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return s, nil
}

func (s *store) Close() error { return s.engine.Close() }
