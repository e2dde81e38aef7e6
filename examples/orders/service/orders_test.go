package service_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// What may be an order and what may not, at the edges of each rule; and what is wrong is told by field, all at once.
func TestPlace_rules(t *testing.T) {
	d := newDesk(t, gateway.Config{})
	mailbox := func(n int) string { return strings.Repeat("a", n-len("@b.test")) + "@b.test" }
	for name, c := range map[string]struct {
		change func(*service.Request)
		faults string // the fields, in order
	}{
		"in order":               {func(*service.Request) {}, ""},
		"the least amount":       {func(r *service.Request) { r.AmountCents = 1 }, ""},
		"the largest amount":     {func(r *service.Request) { r.AmountCents = 10_000_000 }, ""},
		"nothing":                {func(r *service.Request) { r.AmountCents = 0 }, "amount_cents"},
		"less than nothing":      {func(r *service.Request) { r.AmountCents = -1 }, "amount_cents"},
		"a cent too much":        {func(r *service.Request) { r.AmountCents = 10_000_001 }, "amount_cents"},
		"the longest reference":  {func(r *service.Request) { r.Reference = strings.Repeat("r", 200) }, ""},
		"a longer reference":     {func(r *service.Request) { r.Reference = strings.Repeat("r", 201) }, "reference"},
		"a reference in Greek":   {func(r *service.Request) { r.Reference = "παραγγελία 1" }, ""},
		"no UTF-8":               {func(r *service.Request) { r.Reference = "\xff" }, "reference"},
		"a line end":             {func(r *service.Request) { r.Reference = "a\nb" }, "reference"},
		"only a key":             {func(r *service.Request) { r.Reference, r.IdempotencyKey = "", "key-1" }, ""},
		"the key again":          {func(r *service.Request) { r.IdempotencyKey = r.Reference }, ""},
		"another key":            {func(r *service.Request) { r.IdempotencyKey = "key-2" }, "reference"},
		"the longest address":    {func(r *service.Request) { r.Customer = mailbox(254) }, ""},
		"a longer address":       {func(r *service.Request) { r.Customer = mailbox(255) }, "customer"},
		"a name beside":          {func(r *service.Request) { r.Customer = "Ada <a@b.test>" }, "customer"},
		"two addresses":          {func(r *service.Request) { r.Customer = "a@b.test,c@d.test" }, "customer"},
		"an address in Greek":    {func(r *service.Request) { r.Customer = "ά@b.test" }, "customer"},
		"currency in small":      {func(r *service.Request) { r.Currency = "eur" }, "currency"},
		"currency of four":       {func(r *service.Request) { r.Currency = "EURO" }, "currency"},
		"currency of two bytes":  {func(r *service.Request) { r.Currency = "€" }, "currency"},
		"nothing at all":         {func(r *service.Request) { *r = service.Request{} }, "reference customer amount_cents currency"},
		"an amount and currency": {func(r *service.Request) { r.AmountCents, r.Currency = -7, "" }, "amount_cents currency"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(strings.ReplaceAll(name, " ", "-"))
			c.change(&r)
			_, created, err := d.orders.Place(t.Context(), r)
			var invalid *service.InvalidError
			if c.faults == "" {
				if err != nil || !created {
					t.Errorf("it is refused: %v", err)
				}
				return
			}
			if !errors.As(err, &invalid) || created {
				t.Fatalf("it is taken: %v", err)
			}
			var fields []string
			for _, f := range invalid.Faults {
				fields = append(fields, f.Field)
				if f.Why == "" || f.Remedy == "" || !strings.Contains(err.Error(), f.Why) {
					t.Errorf("it does not say what and how to mend it: %+v", f)
				}
			}
			if got := strings.Join(fields, " "); got != c.faults {
				t.Errorf("at fault are %q; want %q", got, c.faults)
			}
		})
	}
}

// An order is named by its reference alone, is stored as asked for, and one job asks for its charge.
func TestPlace_stores_order_and_job(t *testing.T) {
	d := newDesk(t, gateway.Config{})
	o, created, err := d.orders.Place(t.Context(), request("ada"))
	d.ok(err)
	want := service.Order{ID: service.OrderID("ada"), Reference: "ada", Customer: "ada@customer.test", AmountCents: 1234, Currency: "EUR",
		PlacedAt: time.Date(2026, 3, 4, 4, 6, 7, 891_000_000, time.UTC), State: service.Placed}
	if !created || !reflect.DeepEqual(o, want) || !reflect.DeepEqual(d.order(o.ID), want) {
		t.Errorf("created %v:\n%+v\n%+v; want\n%+v", created, o, d.order(o.ID), want)
	}
	page, err := d.engine.List(t.Context(), queue.Query{})
	d.ok(err)
	if len(page.Records) != 1 || page.Records[0].Job.Kind != jobs.ChargeKind || page.Records[0].Job.Key != o.ID {
		t.Errorf("its jobs: %+v", page.Records)
	}
	if service.OrderID("ada") == service.OrderID("Ada") || service.OrderID("") == service.OrderID("order:") {
		t.Error("two references give one id")
	}
}

// The same request is the same order; another one under its reference is told what differs, and changes nothing.
func TestPlace_again(t *testing.T) {
	d := newDesk(t, gateway.Config{})
	first := d.place(request("ada"))
	again, created, err := d.orders.Place(t.Context(), request("ada"))
	if d.ok(err); created || !reflect.DeepEqual(again, first) {
		t.Errorf("created %v: %+v", created, again)
	}
	for differs, change := range map[string]func(*service.Request){
		"customer":              func(r *service.Request) { r.Customer = "bob@customer.test" },
		"amount_cents":          func(r *service.Request) { r.AmountCents++ },
		"currency":              func(r *service.Request) { r.Currency = "SEK" },
		"customer amount_cents": func(r *service.Request) { r.Customer, r.AmountCents = "bob@customer.test", 1 },
	} {
		r := request("ada")
		change(&r)
		_, created, err := d.orders.Place(t.Context(), r)
		var conflict *service.ConflictError
		if !errors.As(err, &conflict) || created || conflict.Holder != first.ID || strings.Join(conflict.Differs, " ") != differs {
			t.Errorf("another %s: created %v, %v", differs, created, err)
		}
	}
	if got := d.order(first.ID); !reflect.DeepEqual(got, first) {
		t.Errorf("the order was changed: %+v", got)
	}
	if _, err := d.orders.Get(t.Context(), service.OrderID("bob")); !errors.Is(err, service.ErrNotFound) {
		t.Errorf("an order that nobody placed: %v", err)
	}
}
