package prom

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/twicehq/twice/metrics"
)

// maxScrapes bounds how many scrapes are served at once; more are answered 503.
const maxScrapes = 8

// Handler serves /metrics: m, what Go and the system say of this process, and more where given. It answers within
// m's patience, also while the engine hangs and during a shutdown, and what it can where a part fails.
func Handler(m *metrics.Metrics, more ...prometheus.Collector) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(append([]prometheus.Collector{Collector(m), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})}, more...)...)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes,
	})
}
