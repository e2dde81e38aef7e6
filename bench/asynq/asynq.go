// Package asynq adapts asynq on a redis-server of its own.
package asynq

import (
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/redisdir"
	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/internal/redistest/server"
)

// The settings that were quickest where they were tried.
const (
	version = "0.26.0"
	check   = time.Millisecond // between two looks at an empty queue; one second by default
	pool    = 64               // connections; ten a core by default
)

// Info is asynq at its quickest on a server of that persistence.
func Info(p server.Persistence) peer.Info {
	return peer.Info{
		Name:       "asynq",
		About:      "asynq " + version + " on Redis, tuned",
		Durability: redisdir.Durability(p),
		Workers:    []int{50, 200},
		Threads:    redisdir.Threads(),
		Open: func(ctx context.Context, dir string, mode peer.Mode) (peer.Peer, error) {
			s, err := redisdir.Open(ctx, dir, p, mode)
			if err != nil {
				return nil, err
			}
			o := asynq.RedisClientOpt{Addr: s.Addr(), PoolSize: pool}
			return &queue{s, o, asynq.NewClient(o)}, nil
		},
	}
}

const (
	hot  = "default"
	cold = "rest"
)

type queue struct {
	*redisdir.Server
	options asynq.RedisClientOpt
	client  *asynq.Client
}

func (q *queue) Enqueue(ctx context.Context, id int64) error { return q.add(ctx, hot, id) }

func (q *queue) add(ctx context.Context, name string, id int64) error {
	_, err := q.client.EnqueueContext(ctx, asynq.NewTask("bench", loadtest.Payload(id)), asynq.Queue(name))
	return err
}

// EnqueueCold enqueues one by one, since asynq has no bulk call.
func (q *queue) EnqueueCold(ctx context.Context, ids []int64) error {
	const callers = 50
	failed := make(chan error, callers)
	for i := range callers {
		go func() {
			var err error
			for n := i; n < len(ids) && err == nil; n += callers {
				err = q.add(ctx, cold, ids[n])
			}
			failed <- err
		}()
	}
	var all error
	for range callers {
		all = errors.Join(all, <-failed)
	}
	return all
}

// Start works tasks that do nothing. A task is out of both lists once its completion is stored.
func (q *queue) Start(_ context.Context, workers int, ran func()) (func() error, error) {
	s := asynq.NewServer(q.options, asynq.Config{
		Concurrency: workers, TaskCheckInterval: check, LogLevel: asynq.FatalLevel, ShutdownTimeout: 20 * time.Second,
	})
	err := s.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
		ran()
		return nil
	}))
	return func() error { s.Shutdown(); return nil }, err
}

func (q *queue) Pending(context.Context) (int64, error) {
	return q.Sum([]string{"LLEN", "asynq:{default}:pending"}, []string{"LLEN", "asynq:{default}:active"})
}

func (q *queue) Close() error { return errors.Join(q.client.Close(), q.Server.Close()) }
