package otelmetrics_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/metrics/otelmetrics"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

func observe(m *metrics.Metrics, n int) {
	lease := &queue.Lease{Job: queue.Job{Queue: "q", Kind: "k", Origin: time.Unix(1, 0)}}
	for range n {
		m.Observe(context.Background(), worker.Event{What: worker.Started, Lease: lease, Wait: 2 * time.Second})
		m.Observe(context.Background(), worker.Event{What: worker.Ended, Outcome: queue.OutcomeDone, Lease: lease, Run: 20 * time.Millisecond})
		m.Observe(context.Background(), worker.Event{What: worker.Settled, Outcome: queue.OutcomeDone, Lease: lease})
	}
}

// An SDK gets the same names and values as Prometheus does, durations too, and nothing for what is not known.
func TestNew(t *testing.T) {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	mirrored := 0
	m, stop, err := otelmetrics.New(provider.Meter("test"), metrics.Config{Engine: engine, Durations: func(metrics.Desc, string, string) func(context.Context, float64) {
		return func(context.Context, float64) { mirrored++ }
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Engine(engine).Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "1"}); err != nil {
		t.Fatal(err)
	}
	observe(m, 3)
	got := collect(t, reader)
	for line, value := range map[string]float64{
		"twice_up[]": 1, "twice_queue_jobs[queue=q scope=engine state=queued]": 1, "twice_jobs_ended_total[kind=k outcome=done queue=q]": 3,
		"twice_enqueued_total[kind=k queue=q status=accepted]": 1, "twice_job_run_seconds[kind=k queue=q]": 3, "twice_job_wait_seconds[kind=k queue=q]": 3,
	} {
		if v, ok := got[line]; !ok || v != value {
			t.Errorf("%s is %v (%v), want %v, of %v", line, v, ok, value, got)
		}
	}
	if _, ok := got["twice_queue_verdict[]"]; ok || mirrored != 6 {
		t.Errorf("mirrored %d, %v", mirrored, got)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if after := collect(t, reader); len(after) != 2 { // the histograms are the SDK's own
		t.Errorf("after stop: %v", after)
	}
}

func collect(t *testing.T, reader sdk.Reader) map[string]float64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	key := func(name string, set attribute.Set) string {
		line := ""
		for _, kv := range set.ToSlice() {
			line += fmt.Sprintf(" %s=%s", kv.Key, kv.Value.AsString())
		}
		return name + "[" + line[min(1, len(line)):] + "]"
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					got[key(m.Name, p.Attributes)] = p.Value
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					got[key(m.Name, p.Attributes)] = p.Value
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					got[key(m.Name, p.Attributes)] = float64(p.Count)
				}
			}
		}
	}
	return got
}

// Without an SDK nothing is done, and an attempt costs no memory.
func TestNew_without_sdk(t *testing.T) {
	m, _, err := otelmetrics.New(otel.Meter("test"), metrics.Config{})
	if err != nil {
		t.Fatal(err)
	}
	observe(m, 1)
	if n := testing.AllocsPerRun(100, func() { observe(m, 1) }); n > 1 { // the lease of observe itself
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkObserve_without_sdk(b *testing.B) {
	m, _, err := otelmetrics.New(otel.Meter("test"), metrics.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		observe(m, 1)
	}
}
