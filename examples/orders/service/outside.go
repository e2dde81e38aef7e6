package service

import (
	"context"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/queue"
)

// Gateway takes payments; *gateway.Client is one, and says what its errors mean.
type Gateway interface {
	Charge(ctx context.Context, key, orderID string, amountCents int64, currency string) (gateway.Charge, error)
	Find(ctx context.Context, key string) (gateway.Charge, bool, error)
	List(ctx context.Context, cursor string) (gateway.Page, error)
}

// Mailer sends mails; *mailsink.Sender is one, and says what its errors mean. It cannot be asked whether
// a mail was sent.
type Mailer interface {
	Send(ctx context.Context, m mailsink.Letter) error
}

// Work is what the services leave to be done later, each once for an order: enqueued in the caller's
// transaction, it is done if and only if that commits.
type Work interface {
	EnqueueCharge(ctx context.Context, in queue.Enqueuer, orderID string) error
	EnqueueReceipt(ctx context.Context, in queue.Enqueuer, orderID string) error
}
