package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"

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

// answerByCommand says that an order's mail was sent, as the mailbox shows, by the command that people use.
// It gives the command in short, and what it said.
func (w *world) answerByCommand(ctx context.Context, o order) (command, said string, err error) {
	page, err := w.mails.Mails(ctx, mailsink.Query{To: o.Customer, Limit: 1})
	if err != nil {
		return "", "", err
	}
	if len(page.Mails) == 0 {
		return "", "", errors.New("there is no mail in the customer's mailbox")
	}
	result, err := json.Marshal(page.Mails[0].MessageID)
	if err != nil {
		return "", "", err
	}
	id := o.receipt().String()
	args := []string{"dead", "resolve", id, "mail", "--happened", "--result", string(result), "--who", "demo", "--why", "the customer has the mail"}
	cmd := exec.CommandContext(ctx, w.cfg.Binary, args...)
	cmd.Env = w.env()
	out, err := cmd.CombinedOutput()
	said = strings.TrimSpace(string(out))
	if err != nil {
		return "", "", fmt.Errorf("answer the doubt: %w: %s", err, said)
	}
	return fmt.Sprintf("twice dead resolve %s…%s mail --happened", id[:4], id[len(id)-2:]), said, nil
}
