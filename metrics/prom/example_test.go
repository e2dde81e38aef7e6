package prom_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/metrics/prom"
	"github.com/twicehq/twice/worker"
)

// How do I serve the metrics of a process that enqueues and works jobs?
func Example() {
	store, err := memory.New(memory.Config{})
	if err != nil {
		panic(err)
	}
	m := metrics.New(metrics.Config{Engine: store})
	engine := m.Engine(store) // enqueue through it
	w := worker.New(engine, worker.Config{Observers: []worker.Observer{m}})
	m.Watch(w)
	worker.Handle(w, kind, func(context.Context, twice.Job[args]) error { return nil })

	if _, err := kind.Enqueue(context.Background(), engine, args{17}); err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", prom.Handler(m))

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "twice_enqueued") || strings.HasPrefix(lines.Text(), "twice_up") || strings.Contains(lines.Text(), `state="queued"`) {
			fmt.Println(lines.Text())
		}
	}
	// Output:
	// twice_enqueued_total{kind="test.prom",queue="default",status="accepted"} 1
	// twice_queue_jobs{queue="default",scope="engine",state="queued"} 1
	// twice_up 1
}
