package demo

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// answerDoubts waits until nothing but dead letters is left and answers every doubt as a person would who
// may ask the customer. A worker that dies in the few milliseconds between the end of a mail and the mail
// server's answer leaves one: whether that mail was sent nobody can tell, so it is parked. It gives how
// many there were.
func (w *world) answerDoubts(ctx context.Context) (answered int, err error) {
	for {
		if err := w.drained(ctx); err != nil {
			return answered, err
		}
		page, err := w.look.List(ctx, queue.Query{State: queue.Dead, Reason: queue.ReasonDoubt, Limit: queue.MaxPage})
		if err != nil || len(page.Records) == 0 {
			return answered, err
		}
		for _, parked := range page.Records {
			if err := w.answer(ctx, parked); err != nil {
				return answered, err
			}
			answered++
		}
	}
}

func (w *world) answer(ctx context.Context, parked queue.Record) error {
	by := queue.Actor{Name: "demo", Why: "looked into the customer's mailbox"}
	for _, e := range parked.Effects {
		if e.State != queue.EffectUnknown {
			continue
		}
		key := ledger.Key{Job: parked.Job.ID, Step: e.Step}
		id := mailsink.MessageID(key.String(), "shop.test")
		page, err := w.mails.Mails(ctx, mailsink.Query{MessageID: id, Limit: 1})
		if err != nil {
			return err
		}
		result, err := json.Marshal(id)
		if err != nil {
			return err
		}
		if _, err := ledger.Resolve(ctx, w.engine, w.effects, by, key, len(page.Mails) > 0, result); err != nil {
			return fmt.Errorf("answer the doubt about %s: %w", key, err)
		}
	}
	return nil
}
