package httpapi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

type charge struct {
	OrderID string `json:"order_id"`
	Note    string `json:"note,omitempty"`
}

var (
	chargeKind = twice.Define[charge]("orders.charge", twice.Policy[charge]{Key: func(c charge) string { return c.OrderID }, Queue: "orders", MaxPayload: 64})
	freshKind  = twice.Define[charge]("orders.fresh", twice.Policy[charge]{Key: twice.Fresh[charge]})
)

// A request by arguments is the same job as that of a Go program, whatever the spaces.
func TestEnqueue_by_args(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		r.api.kinds = map[string]Kind{"orders.charge": KindOf(chargeKind), "orders.fresh": KindOf(freshKind)}
		w := r.ask("POST", v1+"jobs", `{"kind":"orders.charge","args":{ "order_id" : "o-17" }}`, bearer(opToken)...)
		var got Receipt
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 201 || got.ID != queue.NewID("orders.charge", "o-17") {
			t.Fatal(w.Code, w.Body)
		}
		own, err := chargeKind.Enqueue(t.Context(), r.engine, charge{OrderID: "o-17"})
		if err != nil || own.Status != queue.Duplicate {
			t.Errorf("%+v %v", own, err)
		}
		through, err := chargeKind.Enqueue(t.Context(), c, charge{OrderID: "o-17"})
		if err != nil || through.Status != queue.Duplicate || through.Holder != own.Holder {
			t.Errorf("%+v %v", through, err)
		}
		if _, err := chargeKind.Enqueue(t.Context(), c, charge{OrderID: "o-17", Note: "x"}); !errors.Is(err, queue.ErrConflict) {
			t.Error(err)
		}
		j := must[Job](t)(c.Job(t.Context(), got.ID))
		if j.Queue != "orders" || j.Payload != `{"order_id":"o-17"}` || j.Headers[queue.HeaderRequest] == "" {
			t.Errorf("%+v", j)
		}
		fresh := NewJob{Kind: "orders.fresh", Args: []byte(`{"order_id":"o-1"}`)}
		if _, err := c.EnqueueOne(t.Context(), fresh); !errors.Is(err, queue.ErrInvalid) || !strings.Contains(err.Error(), "second job") {
			t.Error(err)
		}
		fresh.Key = "mine"
		if r, err := c.EnqueueOne(t.Context(), fresh); err != nil || r.ID != queue.NewID("orders.fresh", "mine") {
			t.Error(r, err)
		}
		if r, err := c.EnqueueOne(t.Context(), fresh); err != nil || r.Status != queue.Duplicate {
			t.Error(r, err)
		}
	})
}

// What is wrong with a request is a typed error that says all of it, and nothing is stored.
func TestEnqueue_refusals(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"no content":             {`{"kind":"k","key":"x"}`, 400, "no content"},
		"two contents":           {`{"kind":"k","key":"x","args":{},"payload":"x"}`, 400, "more than once"},
		"no key":                 {`{"kind":"k","args":{}}`, 400, "key"},
		"no kind":                {`{"key":"x","args":{}}`, 400, "it is missing"},
		"a bad kind and queue":   {`{"kind":"<k>","key":"x","queue":"a b","args":{}}`, 400, "its queue"},
		"too large":              {`{"kind":"k","key":"x","payload":"` + long + `"}`, 413, "5000 bytes, the limit is 4096"},
		"a long key":             {`{"kind":"k","key":"` + long + `","args":{}}`, 413, "512"},
		"an unknown field":       {`{"kind":"k","key":"x","args":{},"prio":1,"Key":"y"}`, 400, "prio"},
		"a field twice":          {`{"kind":"k","key":"x","key":"y","args":{}}`, 400, "twice"},
		"another type":           {`{"kind":"k","key":1,"args":{}}`, 400, "key"},
		"a list":                 {`[]`, 400, "object"},
		"no JSON":                {`{"kind":`, 400, "no JSON"},
		"something after":        {`{"kind":"k","key":"x","args":{}} {}`, 400, "follows"},
		"a time of another unit": {`{"kind":"k","key":"x","args":{},"run_at":"1970-01-20T00:00:00Z"}`, 400, "seconds"},
		"a priority":             {`{"kind":"k","key":"x","args":{},"priority":10}`, 400, "priority"},
		"a huge timeout":         {`{"kind":"k","key":"x","args":{},"timeout_seconds":1e300}`, 400, "timeout_seconds"},
		"a negative timeout":     {`{"kind":"k","key":"x","args":{},"timeout_seconds":-1}`, 400, "timeout_seconds"},
		"args of another kind":   {`{"kind":"orders.charge","args":{"order":"o"}}`, 400, "not those of the kind"},
		"args too large":         {`{"kind":"orders.charge","args":{"order_id":"` + strings.Repeat("o", 100) + `"}}`, 413, "the kind's limit is 64"},
		"another queue":          {`{"kind":"orders.charge","args":{"order_id":"o"},"queue":"mails"}`, 400, "waits in the queue orders"},
		"another key":            {`{"kind":"orders.charge","key":"z","args":{"order_id":"o"}}`, 400, "by its args"},
		"an old origin":          {`{"kind":"k","key":"x","args":{},"origin":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}`, 422, "ahead"},
	} {
		t.Run(name, func(t *testing.T) {
			e := inMemory(t)
			r := newRig(t, e, Config{Kinds: []Kind{KindOf(chargeKind)}})
			w := r.ask("POST", v1+"jobs", c.body)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			fault(t, w)
			if d, _ := e.Depths(t.Context()); len(d) != 0 {
				t.Errorf("stored: %v", d)
			}
		})
	}
}

// A bad job of a batch hinders no other; too many are refused as a whole.
func TestEnqueue_batch(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		receipts := must[[]queue.Receipt](t)(c.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "1"}, queue.Job{Queue: "q", Kind: "k", Key: "2", Payload: make([]byte, 5000)}, queue.Job{Queue: "q", Kind: "k", Key: "1"}))
		if receipts[0].Status != queue.Accepted || receipts[1].Status != queue.Refused || !errors.Is(receipts[1].Err, queue.ErrTooLarge) || receipts[2].Status != queue.Duplicate {
			t.Errorf("%+v", receipts)
		}
		if got, err := c.Enqueue(t.Context()); got != nil || err != nil {
			t.Error(got, err)
		}
		if _, err := c.Enqueue(t.Context(), make([]queue.Job, 1001)...); !errors.Is(err, queue.ErrTooLarge) {
			t.Error(err)
		}
		if _, err := c.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "3", Headers: queue.Headers{"x": "\xff"}}); !errors.Is(err, queue.ErrInvalid) {
			t.Error(err)
		}
		if w := r.ask("POST", v1+"jobs", `{"kind":"k","key":"x","payload":"`+strings.Repeat("x", 2<<20)+`"}`, bearer(opToken)...); w.Code != 413 {
			t.Errorf("a huge body: %d", w.Code)
		}
	})
}

// A kind that the server knows bounds its payloads, more widely or more narrowly than the others, also where a Go
// program made them.
func TestEnqueue_bounds_of_a_kind(t *testing.T) {
	wide := twice.Define[charge]("orders.wide", twice.Policy[charge]{Key: func(c charge) string { return c.OrderID }, MaxPayload: 10_000})
	r := newRig(t, inMemory(t), Config{Kinds: []Kind{KindOf(chargeKind), KindOf(wide)}})
	c := r.client("")
	if _, err := wide.Enqueue(t.Context(), c, charge{"o", strings.Repeat("x", 8000)}); err != nil {
		t.Error(err)
	}
	narrow := queue.Job{Queue: "orders", Kind: "orders.charge", Key: "o", Payload: []byte(`{"order_id":"o","note":"` + strings.Repeat("x", 100) + `"}`)}
	if got, err := c.Enqueue(t.Context(), narrow); err != nil || !errors.Is(got[0].Err, queue.ErrTooLarge) || !strings.Contains(got[0].Err.Error(), "limit is 64") {
		t.Error(got, err)
	}
	sealed := queue.Job{Queue: "orders", Kind: "orders.charge", Key: "o", Payload: []byte("no arguments")}
	if got, err := c.Enqueue(t.Context(), sealed); err != nil || got[0].Err != nil {
		t.Error(got, err)
	}
}

func TestEnqueue_known_only(t *testing.T) {
	r := newRig(t, inMemory(t), Config{Kinds: []Kind{KindOf(chargeKind)}, KnownOnly: true})
	c := r.client("")
	if _, err := c.EnqueueOne(t.Context(), NewJob{Kind: "k", Key: "x", Args: []byte("{}")}); !errors.Is(err, queue.ErrInvalid) {
		t.Error(err)
	}
	if _, err := chargeKind.Enqueue(t.Context(), c, charge{OrderID: "o"}); err != nil {
		t.Error(err)
	}
	if a := must[Abilities](t)(c.Abilities(t.Context())); !a.KnownOnly || len(a.Kinds) != 1 || a.Role != "operator" || a.Engine != "memory" {
		t.Errorf("%+v", a)
	}
}

func TestNew_says_all_that_is_wrong(t *testing.T) {
	_, err := New(inMemory(t), Config{MaxBody: -1, Timeout: -1, MaxScans: 1e6, Kinds: []Kind{{Name: "<b>", Queue: ""}}})
	for _, says := range []string{"MaxBody", "Timeout", "MaxScans", "<b>", "Make"} {
		if !errors.Is(err, queue.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := New(nil, Config{}); !errors.Is(err, queue.ErrInvalid) {
		t.Error(err)
	}
}
