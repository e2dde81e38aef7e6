// Package nats adapts NATS JetStream: an embedded server, a file store and a work-queue stream.
package nats

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
)

// Always syncs each message and waits for the server to confirm each ack.
var Always = peer.Info{
	Name:       "nats-always",
	About:      "NATS JetStream " + server.VERSION + " embedded, file store, sync always, confirmed acks",
	Durability: "fsync every message, confirmed ack",
	Workers:    []int{200, 1000},
	Open:       opener(true),
}

// Default is JetStream as it comes.
var Default = peer.Info{
	Name:       "nats-default",
	About:      "NATS JetStream " + server.VERSION + " embedded, file store, default sync, plain acks",
	Durability: "none: fsync every 2 min, ack not confirmed",
	Reference:  true,
	Workers:    []int{10, 200},
	Open:       opener(false),
}

const (
	hot  = "jobs.hot"
	cold = "jobs.cold"
)

type queue struct {
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	sync   bool
}

func opener(sync bool) func(context.Context, string, peer.Mode) (peer.Peer, error) {
	return func(ctx context.Context, dir string, mode peer.Mode) (peer.Peer, error) {
		q := &queue{sync: sync}
		if err := q.open(ctx, dir, sync && mode == peer.Measured); err != nil {
			return nil, errors.Join(err, q.Close())
		}
		return q, nil
	}
}

func (q *queue) open(ctx context.Context, dir string, always bool) (err error) {
	q.server, err = server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: dir, SyncAlways: always, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return err
	}
	q.server.Start()
	if !q.server.ReadyForConnections(30 * time.Second) {
		return errors.New("nats: the embedded server did not become ready within 30 s")
	}
	if q.conn, err = nats.Connect(q.server.ClientURL()); err != nil {
		return err
	}
	if q.js, err = jetstream.New(q.conn, jetstream.WithPublishAsyncMaxPending(8192)); err != nil {
		return err
	}
	q.stream, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: "JOBS", Subjects: []string{"jobs.>"},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
	})
	return err
}

func (q *queue) Enqueue(ctx context.Context, id int64) error {
	_, err := q.js.Publish(ctx, hot, loadtest.Payload(id))
	return err
}

func (q *queue) EnqueueBulk(ctx context.Context, ids []int64) error { return q.many(ctx, hot, ids) }

func (q *queue) EnqueueCold(ctx context.Context, ids []int64) error { return q.many(ctx, cold, ids) }

func (q *queue) many(ctx context.Context, subject string, ids []int64) error {
	acks := make([]jetstream.PubAckFuture, len(ids))
	for i, id := range ids {
		ack, err := q.js.PublishAsync(subject, loadtest.Payload(id))
		if err != nil {
			return err
		}
		acks[i] = ack
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (q *queue) Pending(ctx context.Context) (int64, error) {
	i, err := q.stream.Info(ctx, jetstream.WithSubjectFilter(hot))
	if err != nil {
		return 0, err
	}
	return int64(i.State.Subjects[hot]), nil
}

func (q *queue) Close() error {
	if q.conn != nil {
		q.conn.Close()
	}
	if q.server != nil {
		q.server.Shutdown()
		q.server.WaitForShutdown()
	}
	return nil
}
