package proved

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/proof"
)

// seenDatabase is the application's database as the kit sees it: each transaction is one call.
type seenDatabase struct{ service.Database }

func (d seenDatabase) Order(ctx context.Context, id string) (o service.Order, err error) {
	err = proof.Read(ctx, "read the order", func() error { o, err = d.Database.Order(ctx, id); return err })
	return o, err
}

func (d seenDatabase) Charges(ctx context.Context, until time.Time, after string, limit int) (all []service.Charge, err error) {
	err = proof.Read(ctx, "read our charges", func() error { all, err = d.Database.Charges(ctx, until, after, limit); return err })
	return all, err
}

func (d seenDatabase) Change(ctx context.Context, do func(context.Context, service.Tx) error) error {
	return proof.Call(ctx, "change our tables", func() error { return d.Database.Change(ctx, do) })
}

func (d seenDatabase) Finish(ctx context.Context, do func(context.Context, service.Tx) error) error {
	return proof.Call(ctx, "the last transaction", func() error { return d.Database.Finish(ctx, do) })
}

// seenMailer is the mail server as the kit sees it.
type seenMailer struct{ service.Mailer }

func (m seenMailer) Send(ctx context.Context, l mailsink.Letter) error {
	return proof.Call(ctx, "send the mail", func() error { return m.Mailer.Send(ctx, l) })
}

// ownKeys asks under a key of its own each time.
type ownKeys struct{ service.Gateway }

func (g ownKeys) Charge(ctx context.Context, _, orderID string, amountCents int64, currency string) (gateway.Charge, error) {
	return g.Gateway.Charge(ctx, rand.Text(), orderID, amountCents, currency)
}
