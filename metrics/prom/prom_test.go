package prom_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/metrics/prom"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

type args struct {
	N int `json:"n"`
}

var kind = twice.Define("test.prom", twice.Policy[args]{Key: func(a args) string { return fmt.Sprint(a.N) }})

func scrape(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// What is served is what was counted; global metrics are marked, and all of it is well-formed.
func TestHandler(t *testing.T) {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m := metrics.New(metrics.Config{Engine: engine})
	if _, err := kind.Enqueue(t.Context(), m.Engine(engine), args{1}); err != nil {
		t.Fatal(err)
	}
	m.JudgeBy(func(context.Context) ([]metrics.Judgement, error) {
		return []metrics.Judgement{{Queue: "default", Verdict: "no_consumer", SlotsNeeded: 2}}, nil
	})
	lease := &queue.Lease{Job: queue.Job{Queue: "default", Kind: "test.prom"}}
	for _, e := range []worker.Event{{What: worker.Ended, Outcome: queue.OutcomeDone, Lease: lease, Run: 20 * time.Millisecond}, {What: worker.Ended, Outcome: queue.OutcomeDone, Lease: lease, Run: time.Hour}, {What: worker.Settled, Outcome: queue.OutcomeDone, Lease: lease}} {
		m.Observe(t.Context(), e)
	}
	got := scrape(t, prom.Handler(m))
	for _, line := range []string{
		"twice_up 1",
		`twice_queue_jobs{queue="default",scope="engine",state="queued"} 1`,
		`twice_queue_verdict{queue="default",scope="engine",verdict="no_consumer"} 1`,
		`twice_slots_needed{queue="default",scope="engine"} 2`,
		`twice_in_doubt{scope="engine"} 0`,
		`twice_enqueued_total{kind="test.prom",queue="default",status="accepted"} 1`,
		`twice_jobs_ended_total{kind="test.prom",outcome="done",queue="default"} 1`,
		`twice_job_run_seconds_bucket{kind="test.prom",queue="default",le="0.01"} 0`,
		`twice_job_run_seconds_bucket{kind="test.prom",queue="default",le="0.025"} 1`,
		`twice_job_run_seconds_bucket{kind="test.prom",queue="default",le="+Inf"} 2`,
		`twice_job_run_seconds_sum{kind="test.prom",queue="default"} 3600.02`,
		`twice_invariant_broken_total{invariant="counts"} 0`,
		"# HELP twice_queue_jobs Global, the same on every replica: max, not sum. Absent while unknown. Jobs by stored state.",
		"# TYPE twice_leases_lost_total counter",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if !strings.Contains(got, "go_goroutines") || t.Failed() {
		t.Logf("%s", got)
	}

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(prom.Collector(m))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

// The engine is closed under a scrape: it is answered, and what is not known is not there.
func TestHandler_shutdown(t *testing.T) {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m := metrics.New(metrics.Config{Engine: engine})
	if _, err := kind.Enqueue(t.Context(), engine, args{1}); err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	got := scrape(t, prom.Handler(m))
	if !strings.Contains(got, "\ntwice_up 0\n") || strings.Contains(got, "twice_queue_jobs") || !strings.Contains(got, "\ntwice_leases_lost_total 0\n") {
		t.Errorf("%s", got)
	}
}
