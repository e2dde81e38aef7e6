package nats

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"
)

// Start pulls into a channel that as many goroutines work off as there are workers.
func (q *queue) Start(ctx context.Context, workers int, ran func()) (func() error, error) {
	consumer, err := q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "workers", FilterSubject: hot,
		AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: max(1000, 4*workers),
	})
	if err != nil {
		return nil, err
	}
	work := make(chan jetstream.Msg, workers)
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for m := range work {
				ran()
				if err := q.ack(ctx, m); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	pull, err := consumer.Consume(func(m jetstream.Msg) { work <- m }, jetstream.PullMaxMessages(max(500, 2*workers)))
	if err != nil {
		close(work)
		return nil, err
	}
	return func() error {
		pull.Drain()
		<-pull.Closed()
		close(work)
		all.Wait()
		if err := failed.Load(); err != nil && !errors.Is(*err, context.Canceled) {
			return *err
		}
		return nil
	}, nil
}

func (q *queue) ack(ctx context.Context, m jetstream.Msg) error {
	if q.sync {
		return m.DoubleAck(ctx)
	}
	return m.Ack()
}
