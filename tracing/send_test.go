package tracing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/tracing"
)

// A traceparent that an application passes by hand is the parent of what is sent, also with no span in the context.
func TestEnqueuer_traceparent(t *testing.T) {
	tr, spans, _ := recorded(false)
	engine := newEngine(t)
	if _, err := charge.Enqueue(twice.WithTraceparent(t.Context(), incoming), tr.Engine(engine), args{1}); err != nil {
		t.Fatal(err)
	}
	send := named(spans, "send money")[0]
	if got := send.Parent(); fmt.Sprintf("00-%s-%s-01", got.TraceID(), got.SpanID()) != incoming {
		t.Errorf("parent %v", got)
	}
	if got := headerOf(t, engine, "test.charge", "1")[queue.HeaderTrace]; got != fmt.Sprintf("00-%s-%s-01", send.SpanContext().TraceID(), send.SpanContext().SpanID()) {
		t.Errorf("header %s of %v", got, send.SpanContext())
	}
}

// A job goes through an outbox with the span that sent it; the relay's span links to it, and does not take its place.
func TestEnqueuer_outbox(t *testing.T) {
	tr, spans, _ := recorded(false)
	box, engine := newEngine(t), newEngine(t)
	ctx := twice.WithRequestID(twice.WithTraceparent(t.Context(), incoming), "req-7")
	for n := range 3 {
		if _, err := charge.Enqueue(ctx, tr.Enqueuer(outbox.Into(box, 0)), args{n}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := outbox.NewRelay(box, tr.Engine(engine), outbox.Config{}).Once(t.Context(), 0); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	sends := named(spans, "send money")
	if len(sends) != 4 {
		t.Fatalf("%d spans", len(sends))
	}
	for n, send := range sends[:3] {
		h := headerOf(t, engine, "test.charge", fmt.Sprint(n))
		if h[queue.HeaderTrace] != fmt.Sprintf("00-%s-%s-01", send.SpanContext().TraceID(), send.SpanContext().SpanID()) || h[queue.HeaderRequest] != "req-7" {
			t.Errorf("job %d has %v", n, h)
		}
		if !linksTo(sends[3], send.SpanContext()) {
			t.Errorf("the relay's span does not link to job %d", n)
		}
	}
	if attr(sends[3], "messaging.batch.message_count") != "3" {
		t.Errorf("%v", sends[3].Attributes())
	}
}

// A trace is never why a job is refused: where its headers are full they stay as they are.
func TestEnqueuer_full_headers(t *testing.T) {
	tr, _, _ := recorded(false)
	engine := newEngine(t)
	many := queue.Headers{}
	for i := range queue.MaxHeaders {
		many[fmt.Sprint("h", i)] = "x"
	}
	long := queue.Headers{"h": strings.Repeat("x", queue.MaxHeaderBytes-10)}
	for i, h := range []queue.Headers{many, long} {
		job := queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i), Headers: h}
		receipts, err := tr.Engine(engine).Enqueue(t.Context(), job)
		if err != nil || receipts[0].Status != queue.Accepted {
			t.Errorf("%d: %v %v", i, err, receipts)
		}
		if got := headerOf(t, engine, "k", fmt.Sprint(i)); len(got) != len(h) {
			t.Errorf("%d: %d headers", i, len(got))
		}
	}
}

// Refusals and failures are on the span, scrubbed; a hostile traceparent or queue does no harm.
func TestEnqueuer_bad(t *testing.T) {
	tr, spans, _ := recorded(false)
	engine := newEngine(t)
	q := tr.Engine(engine)
	for _, trace := range []string{"00-zz", "\x00", strings.Repeat("0", 1000), "00-00000000000000000000000000000000-0000000000000000-01"} {
		if _, err := charge.Enqueue(twice.WithTraceparent(t.Context(), trace), q, args{len(trace)}); err != nil {
			t.Errorf("%.20q: %v", trace, err)
		}
	}
	bad := "q\n" + strings.Repeat("x", 1<<20)
	if receipts, err := q.Enqueue(t.Context(), queue.Job{Queue: bad, Kind: bad, Key: "1"}); err != nil || receipts[0].Status != queue.Refused {
		t.Error(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := charge.Enqueue(t.Context(), q, args{9}); !errors.Is(err, queue.ErrClosed) {
		t.Error(err)
	}
	if receipts, err := q.Enqueue(t.Context()); len(receipts) != 0 {
		t.Error(receipts, err)
	}
	all := spans.Ended()
	refused, failed := all[len(all)-2], all[len(all)-1]
	if refused.Name() != "send" || refused.Status().Code != codes.Error || attr(refused, "error.type") != "refused" || len(attr(refused, "messaging.destination.name")) > 80 || len(refused.Status().Description) > 1100 {
		t.Errorf("%s %v %+v", refused.Name(), refused.Attributes(), refused.Status())
	}
	if failed.Status().Code != codes.Error || attr(failed, "error.type") != "enqueue" || len(all) != 6 {
		t.Errorf("%v %+v, %d spans", failed.Attributes(), failed.Status(), len(all))
	}
}

// With no SDK the ids of the request's trace travel on as they came, and that costs little.
func TestWithout_sdk(t *testing.T) {
	tr := tracing.New(tracing.Config{})
	engine := newEngine(t)
	if _, err := charge.Enqueue(twice.WithTraceparent(t.Context(), incoming), tr.Engine(engine), args{1}); err != nil {
		t.Fatal(err)
	}
	if got := headerOf(t, engine, "test.charge", "1")[queue.HeaderTrace]; got != incoming {
		t.Errorf("%q", got)
	}
	if _, err := charge.Enqueue(t.Context(), tr.Engine(engine), args{2}); err != nil {
		t.Fatal(err)
	}
	if got := headerOf(t, engine, "test.charge", "2"); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
