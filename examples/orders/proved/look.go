package proved

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/queue"
)

// look is what is outside, and what the application's tables and jobs came to.
func (w *World) look() any {
	ctx := context.Background()
	seen := map[string]int{"mails": len(w.mails())}
	for c, err := range w.gateway.All(ctx) {
		if err != nil {
			return err.Error()
		}
		seen["charges of "+c.OrderID]++
	}
	for _, table := range []string{"charges", "receipts", "reconciliations", "differences"} {
		var n int
		if err := w.engine.DB().QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			return err.Error()
		}
		seen["rows of "+table] = n
	}
	waiting, err := w.engine.List(ctx, queue.Query{State: queue.Queued})
	if err != nil {
		return err.Error()
	}
	seen["jobs left to do"] = len(waiting.Records)
	order, err := w.app.Orders.Get(ctx, adasOrder)
	if err != nil {
		return err.Error()
	}
	return map[string]any{"order": order.State, "counts": seen}
}

// books fails where our charges are not the gateway's.
func (w *World) books() error {
	report, err := w.app.Books.Compare(context.Background(), compare)
	if err == nil && len(report.Differences) > 0 {
		err = fmt.Errorf("%+v", report.Differences)
	}
	return err
}

// sent is what a person finds at the mail server.
func (w *World) sent(string) (bool, any) {
	for _, m := range w.mails() {
		return true, m.MessageID
	}
	return false, nil
}

func (w *World) mails() []mailsink.Mail {
	answer, err := w.o.Client(w.sink).Get("http://mail.test/mails?to=" + customer)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	var page mailsink.Page
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		panic(err)
	}
	return page.Mails
}
