package orders_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/examples/orders/api"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// problem is an error as clients read it.
type problem struct {
	Error struct {
		Code, What, Why, Remedy string
		Fields                  []service.Fault
	}
}

// refused reads an error and holds it to saying what and how to mend it.
func refused(t *testing.T, body []byte) (p problem) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil || p.Error.Code == "" || p.Error.What == "" || p.Error.Remedy == "" {
		t.Errorf("the error does not say what and how to mend it: %s (%v)", body, err)
	}
	return p
}

func with(reference, field string, value any) map[string]any {
	o := order(reference)
	o[field] = value
	return o
}

func TestAPI_same_request_same_order(t *testing.T) {
	w := newWorld(t)
	status, first := w.post(order("ada"))
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, first)
	}
	if status, again := w.post(order("ada")); status != http.StatusOK || !bytes.Equal(again, first) {
		t.Errorf("again: %d %s; want 200 %s", status, again, first)
	}
	w.drain(w.once)
	var o api.Order
	_, body := w.post(order("ada"))
	w.told(json.Unmarshal(body, &o))
	if o.State != string(service.ReceiptSent) || o.Charge == nil || o.Receipt == nil {
		t.Errorf("after all is done the same request gives %s", body)
	}
	status, body = w.post(with("ada", "amount_cents", 1))
	if p := refused(t, body); status != http.StatusConflict || p.Error.Code != "conflict" || !strings.Contains(p.Error.Why, "amount_cents") {
		t.Errorf("other content: %d %s", status, body)
	}
	if w.drain(w.once); w.charges() != 1 {
		t.Errorf("%d charges", w.charges())
	}
}

func TestAPI_idempotency_key_stands_in(t *testing.T) {
	w := newWorld(t)
	o := order("")
	o["customer"] = "ada@customer.test"
	status, first := w.post(o, "Idempotency-Key", "k-1")
	status2, again := w.post(o, "Idempotency-Key", "k-1")
	if status != http.StatusCreated || status2 != http.StatusOK || !bytes.Equal(first, again) {
		t.Errorf("%d %s, then %d %s", status, first, status2, again)
	}
}

// Any number of clients that send one request at one moment: one order, one job, and one is told 201.
func TestAPI_same_request_at_once(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	answers := map[int]int{}
	var clients sync.WaitGroup
	for range 32 {
		clients.Go(func() {
			status, _ := w.post(order("ada"))
			mu.Lock()
			defer mu.Unlock()
			answers[status]++
		})
	}
	clients.Wait()
	if answers[http.StatusCreated] != 1 || answers[http.StatusOK] != 31 {
		t.Errorf("answers by status: %v", answers)
	}
	if n := w.drain(w.once); n != 2 || w.charges() != 1 {
		t.Errorf("%d jobs, %d charges", n, w.charges())
	}
}

// The order and its job are stored together: where the job cannot be, the order is not.
func TestAPI_order_and_job_together(t *testing.T) {
	w := newWorld(t)
	w.app.Orders.Work = noCharges{w.app.Kinds}
	status, body := w.post(order("ada"))
	if refused(t, body); status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", status, body)
	}
	if answer := w.send(http.MethodGet, "/orders/"+service.OrderID("ada"), nil); answer.Code != http.StatusNotFound {
		t.Errorf("the order was stored without its job: %s", answer.Body)
	}
	w.app.Orders.Work = w.app.Kinds
	if status, body := w.post(order("ada")); status != http.StatusCreated {
		t.Errorf("the same request again: %d %s", status, body)
	}
}

func TestAPI_bad_input(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		body   any
		header []string
		status int
		code   string
		field  string
	}{
		"no reference":           {body: with("", "customer", "a@b.test"), status: 400, code: "invalid_order", field: "reference"},
		"two names":              {body: order("a"), header: []string{"Idempotency-Key", "b"}, status: 400, code: "invalid_order", field: "reference"},
		"long reference":         {body: with(strings.Repeat("r", 201), "customer", "a@b.test"), status: 400, code: "invalid_order", field: "reference"},
		"control in reference":   {body: with("a\x00b", "customer", "a@b.test"), status: 400, code: "invalid_order", field: "reference"},
		"no customer":            {body: with("a", "customer", ""), status: 400, code: "invalid_order", field: "customer"},
		"no address":             {body: with("a", "customer", "Ada <a@b.test>"), status: 400, code: "invalid_order", field: "customer"},
		"injected header":        {body: with("a", "customer", "a@b.test\r\nBcc: x@y.test"), status: 400, code: "invalid_order", field: "customer"},
		"zero amount":            {body: with("a", "amount_cents", 0), status: 400, code: "invalid_order", field: "amount_cents"},
		"negative amount":        {body: with("a", "amount_cents", -5), status: 400, code: "invalid_order", field: "amount_cents"},
		"huge amount":            {body: with("a", "amount_cents", 1<<60), status: 400, code: "invalid_order", field: "amount_cents"},
		"amount beyond a number": {body: `{"amount_cents": 99999999999999999999}`, status: 400, code: "not_json"},
		"fraction of a cent":     {body: with("a", "amount_cents", 1.5), status: 400, code: "not_json"},
		"lower-case currency":    {body: with("a", "currency", "eur"), status: 400, code: "invalid_order", field: "currency"},
		"unknown field":          {body: with("a", "discount", 5), status: 400, code: "not_json"},
		"no JSON":                {body: "order=1", status: 400, code: "not_json"},
		"empty":                  {body: "", status: 400, code: "not_json"},
		"more than one":          {body: "{}{}", status: 400, code: "not_json"},
		"too large":              {body: with("a", "customer", strings.Repeat("x", 20<<10)), status: 413, code: "too_large"},
		"another type":           {body: order("a"), header: []string{"Content-Type", "text/xml"}, status: 415, code: "not_json"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := w.post(c.body, c.header...)
			p := refused(t, body)
			if status != c.status || p.Error.Code != c.code {
				t.Errorf("%d %s; want %d %s", status, body, c.status, c.code)
			}
			if c.field != "" && (len(p.Error.Fields) != 1 || p.Error.Fields[0].Field != c.field || p.Error.Fields[0].Why == "" || p.Error.Fields[0].Remedy == "") {
				t.Errorf("its fields are %+v; want %s", p.Error.Fields, c.field)
			}
		})
	}
	if _, body := w.post(`{}`); len(refused(t, body).Error.Fields) != 4 {
		t.Errorf("not everything that is wrong is told at once: %s", body)
	}
	if totals, err := w.app.Store.Totals(t.Context()); err != nil || len(totals.Orders) != 0 {
		t.Errorf("something was stored: %+v %v", totals, err)
	}
}

func TestAPI_paths(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/orders/o-1", 404}, {"GET", "/orders/%00", 404}, {"GET", "/", 404}, {"GET", "/orders", 405},
		{"DELETE", "/orders/o-1", 405}, {"POST", "/livez", 405}, {"GET", "/livez", 200},
	} {
		answer := w.send(c.method, c.path, nil)
		if answer.Code != c.status || answer.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %s; want %d", c.method, c.path, answer.Code, answer.Body, c.status)
		}
		if c.status != 200 {
			refused(t, answer.Body.Bytes())
		}
	}
}

func TestAPI_request_id(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		sent string
		kept bool
	}{{"req-1.A_b", true}, {strings.Repeat("x", 128), true}, {strings.Repeat("x", 129), false}, {"a b", false}, {`"}{`, false}, {"", false}, {"-x", false}} {
		answer := w.send(http.MethodGet, "/orders/o-1", nil, "X-Request-Id", c.sent)
		if got := answer.Header().Get("X-Request-Id"); (got == c.sent) != c.kept || got == "" {
			t.Errorf("sent %q, answered %q", c.sent, got)
		}
	}
}

// A closed database is a 503 that may be repeated.
func TestAPI_database_gone(t *testing.T) {
	w := newWorld(t)
	w.told(w.engine.Close())
	status, body := w.post(order("ada"))
	if p := refused(t, body); status != http.StatusServiceUnavailable || !strings.Contains(p.Error.Remedy, "again") {
		t.Errorf("%d %s", status, body)
	}
}

// noCharges fails to enqueue charges.
type noCharges struct{ service.Work }

func (noCharges) EnqueueCharge(_ context.Context, _ queue.Enqueuer, _ string) error {
	return &queue.Error{Op: "enqueue", Reason: queue.ErrUnavailable, Cause: errors.New("no room in the inn")}
}
