package api

import (
	"net/http"
	"time"

	"github.com/twicehq/twice/examples/orders/service"
)

// placeBody is the body of POST /orders.
type placeBody struct {
	Reference   string `json:"reference"`
	Customer    string `json:"customer"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
}

func (a *api) placeOrder(w http.ResponseWriter, r *http.Request) error {
	var body placeBody
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	order, created, err := a.Orders.Place(r.Context(), service.Request{
		Reference: body.Reference, IdempotencyKey: r.Header.Get("Idempotency-Key"),
		Customer: body.Customer, AmountCents: body.AmountCents, Currency: body.Currency,
	})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	w.Header().Set("Location", "/orders/"+order.ID)
	return writeJSON(w, status, shown(order))
}

func (a *api) getOrder(w http.ResponseWriter, r *http.Request) error {
	order, err := a.Orders.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, shown(order))
}

// Order is an order as the API shows it.
type Order struct {
	ID          string    `json:"id"`
	Reference   string    `json:"reference"`
	State       string    `json:"state"` // placed, charged, receipt_sent, failed
	Failure     string    `json:"failure,omitempty"`
	Customer    string    `json:"customer"`
	AmountCents int64     `json:"amount_cents"`
	Currency    string    `json:"currency"`
	PlacedAt    time.Time `json:"placed_at"`
	Charge      *Charge   `json:"charge,omitempty"`
	Receipt     *Receipt  `json:"receipt,omitempty"`
}

// Charge is the payment of an order.
type Charge struct {
	ID        string    `json:"id"`
	ChargedAt time.Time `json:"charged_at"`
}

// Receipt is the mail of an order.
type Receipt struct {
	MessageID string    `json:"message_id"`
	SentAt    time.Time `json:"sent_at"`
}

func shown(o service.Order) Order {
	s := Order{
		ID: o.ID, Reference: o.Reference, State: string(o.State), Failure: o.Failure, Customer: o.Customer,
		AmountCents: o.AmountCents, Currency: o.Currency, PlacedAt: o.PlacedAt,
	}
	if o.Charge != nil {
		s.Charge = &Charge{o.Charge.ID, o.Charge.ChargedAt}
	}
	if o.Receipt != nil {
		s.Receipt = &Receipt{o.Receipt.MessageID, o.Receipt.SentAt}
	}
	return s
}
