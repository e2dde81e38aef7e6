package ours

import (
	"context"
	"errors"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/redisdir"
	"github.com/twicehq/twice/internal/loadtest"
	engine "github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/internal/redistest/server"
	"github.com/twicehq/twice/queue"
)

// Redis is Twice on a server of that persistence, opened by its URL with the default settings, but for the number of slots.
func Redis(p server.Persistence) peer.Info {
	return peer.Info{
		Name:       "twice",
		About:      "Twice on Redis",
		Durability: redisdir.Durability(p),
		Workers:    []int{1000},
		Threads:    redisdir.Threads(),
		Open: func(ctx context.Context, dir string, mode peer.Mode) (peer.Peer, error) {
			s, err := redisdir.Open(ctx, dir, p, mode)
			if err != nil {
				return nil, err
			}
			r := &onServer{Server: s}
			if r.engine, err = engine.Engine(ctx, s.URL()); err == nil {
				r.Queue, err = loadtest.On(ctx, r.engine)
			}
			if err != nil {
				return nil, errors.Join(err, r.Close())
			}
			return r, nil
		},
	}
}

type onServer struct {
	*redisdir.Server
	*loadtest.Queue
	engine queue.Engine
}

func (r *onServer) Close() (err error) {
	if r.engine != nil {
		err = r.engine.Close()
	}
	return errors.Join(err, r.Server.Close())
}
