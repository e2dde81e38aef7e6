package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Receipts sends a mail for each order that was charged. All fields are required.
type Receipts struct {
	Database Database
	Ledger   ledger.Store // kept beside the data
	Mailer   Mailer
	Domain   string       // of Message-IDs
	Doubt    ledger.Doubt // what becomes of a mail when nobody can tell whether it was sent: Park or Resend
	Now      func() time.Time
}

// Send sends the receipt of an order once, however often it is called for one job; then records it and
// ends the job in one transaction. It must be called below a handler, with the handler's context.
//
// A mail server cannot be asked. Where its answer was lost, Doubt decides: the job is parked for a person
// (ErrInDoubt), or the mail is sent again with the same Message-ID.
func (s *Receipts) Send(ctx context.Context, orderID string) error {
	order, err := s.Database.Order(ctx, orderID)
	if errors.Is(err, ErrNotFound) {
		return twice.Bury(err)
	}
	if err != nil {
		return err
	}
	if order.Charge == nil {
		return twice.Bury(fmt.Errorf("receipt of order %s: %w: it is %s", order.ID, ErrState, order.State))
	}
	messageID, err := ledger.Once(ctx, s.Ledger, s.effect(order))
	switch {
	case errors.Is(err, mailsink.ErrInvalid), errors.Is(err, mailsink.ErrRefused):
		return twice.Bury(err)
	case err != nil:
		return err
	}
	err = s.Database.Finish(ctx, func(ctx context.Context, tx Tx) error {
		_, err := ledger.Within(ctx, tx.Effects(), "record", func(ctx context.Context) (string, error) {
			sent := Receipt{OrderID: order.ID, MessageID: messageID, SentAt: s.Now().UTC()}
			return messageID, errors.Join(tx.AddReceipt(ctx, sent), tx.SetState(ctx, order.ID, ReceiptSent, ""))
		})
		return err
	})
	if err == nil {
		twice.Logger(ctx).InfoContext(ctx, "receipt sent", "order", order.ID, "message_id", messageID)
	}
	return err
}

// effect is the mail; its result is the Message-ID it was sent with.
func (s *Receipts) effect(o Order) ledger.Effect[string] {
	return ledger.Effect[string]{
		Step: "mail",
		Do: func(ctx context.Context, key string) (string, error) {
			letter := s.letter(o, key)
			err := s.Mailer.Send(ctx, letter)
			if errors.Is(err, mailsink.ErrNotSent) {
				return "", ledger.NotDone(err)
			}
			return letter.MessageID, err
		},
		Doubt:       s.Doubt,
		Fingerprint: queue.FingerprintOf([]byte(o.ID + " " + o.Customer)),
	}
}

func (s *Receipts) letter(o Order, key string) mailsink.Letter {
	return mailsink.Letter{
		MessageID: mailsink.MessageID(key, s.Domain),
		To:        o.Customer,
		Subject:   "Receipt for your order " + o.ID,
		Body: fmt.Sprintf("Thank you. We charged %d.%02d %s for your order %s (payment %s).\n",
			o.AmountCents/100, o.AmountCents%100, o.Currency, o.ID, o.Charge.ID),
	}
}
