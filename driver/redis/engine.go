package redis

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Engine keeps jobs in Redis. Make one with Open.
type Engine struct {
	cfg     Config
	client  rueidis.Client
	channel string // where scripts tell of new jobs
	lines   lines
	groups  groups
	wake    *wake
	server  Server
	traits  queue.Traits

	homes      sync.Map       // of slots: which node has them, where replicas must hold what is written
	reconciled atomic.Int64   // when this process last did
	forwarding sync.Map       // queues whose list is being forwarded
	beside     sync.WaitGroup // what goes on beside calls

	closing sync.RWMutex // whoever begins something beside calls holds it, so that Close waits for that
	closed  chan struct{}
}

var _ interface {
	queue.Engine
	queue.Inspector
	queue.Operator
	queue.Pauser
	queue.Pruner
	queue.Presence
	queue.Schedules
	queue.Auditor
	queue.Exchanger
	queue.Transactor[*Tx]
} = (*Engine)(nil)

// Open connects to the server or cluster that url names. It fails with ErrInvalid (url and cfg, every problem at
// once), ErrUnavailable where no server answers, and ErrSchema where the server cannot keep jobs: too old, or
// allowed to evict keys.
func Open(ctx context.Context, url string, cfg Config) (*Engine, error) {
	cfg, err := cfg.checked()
	if err != nil {
		return nil, err
	}
	opt, err := connection(url)
	if err != nil {
		return nil, err
	}
	client, err := rueidis.NewClient(opt)
	if err != nil {
		return nil, translated("open", err)
	}
	client = lasting{client}
	e := &Engine{cfg: cfg, client: client, channel: cfg.Prefix + ":wake", lines: lines{known: map[string]*line{}}, closed: make(chan struct{})}
	if e.server, err = look(ctx, client); err != nil {
		client.Close()
		return nil, err
	}
	if e.server.Replicas < cfg.MinReplicas {
		cfg.Logger.Warn("too few replicas are connected: until they are, the outcome of each write is unknown", "replicas", e.server.Replicas, "min", cfg.MinReplicas)
	}
	e.traits = e.promised()
	e.groups.e = e
	e.wake = newWake(e)
	return e, nil
}

// Server is what the server said of itself when the engine was opened.
func (e *Engine) Server() Server { return e.server }

func (e *Engine) promised() queue.Traits {
	return queue.Traits{
		Name: "redis", Durability: e.server.Durability(e.cfg.MinReplicas), Durable: e.server.Durable(), UniqueFor: e.cfg.UniqueFor, KeepFor: e.cfg.KeepFor,
		MaxPayload: e.cfg.MaxPayload, MaxBatch: maxBatch, MaxTTL: maxTTL,
		RepeatsClaims: true, Fences: true, Counts: true, Dedupes: true,
	}
}

// Traits implements [queue.Engine].
func (e *Engine) Traits() queue.Traits { return e.traits }

// Ping implements [queue.Engine]: it writes.
func (e *Engine) Ping(ctx context.Context) error {
	if err := e.usable(ctx, "ping"); err != nil {
		return err
	}
	ping := e.client.B().Set().Key(e.cfg.Prefix + ":ping").Value("1").Build()
	if e.cfg.MinReplicas > 0 {
		return translated("ping", e.held(ctx, e.client, ping)[0].Error())
	}
	return translated("ping", e.client.Do(ctx, ping).Error())
}

// Close implements [queue.Engine].
func (e *Engine) Close() error {
	e.closing.Lock()
	first := e.usable(context.Background(), "close") == nil
	if first {
		close(e.closed)
	}
	e.closing.Unlock()
	if first {
		e.wake.stop()
		e.client.Close() // ends what goes on beside
	}
	e.beside.Wait()
	return nil
}

// usable begins every call.
func (e *Engine) usable(ctx context.Context, op string) error {
	select {
	case <-e.closed:
		return &queue.Error{Op: op, Subject: "redis", Reason: queue.ErrClosed}
	default:
		return ended(ctx, op)
	}
}

// fits fails with ErrTooLarge where a call has more than maxBatch parts.
func fits(op string, n int) error {
	if n <= maxBatch {
		return nil
	}
	return &queue.Error{Op: op, Reason: queue.ErrTooLarge, Detail: fmt.Sprintf("%d in one call, the limit is %d", n, maxBatch), Remedy: "send them in several calls"}
}
