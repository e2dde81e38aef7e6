// Package prom shows metrics to Prometheus.
package prom

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/twicehq/twice/metrics"
)

// Collector gives m to a Prometheus registry. A collection takes no longer than m's patience; it may be made
// concurrently.
func Collector(m *metrics.Metrics) prometheus.Collector {
	c := &collector{m: m, descs: map[string]*prometheus.Desc{}}
	for _, d := range metrics.All() {
		var fixed prometheus.Labels
		if d.Global {
			fixed = prometheus.Labels{metrics.ScopeLabel: metrics.ScopeEngine}
		}
		c.descs[d.Name] = prometheus.NewDesc(d.Name, d.Help, d.Labels, fixed)
	}
	return c
}

type collector struct {
	m     *metrics.Metrics
	descs map[string]*prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(to chan<- prometheus.Metric) {
	for _, family := range c.m.Read(context.Background()) {
		desc := c.descs[family.Name]
		for _, p := range family.Points {
			metric, err := convert(family.Desc, desc, p)
			if err != nil { // one point that cannot be shown hides no other
				continue
			}
			to <- metric
		}
	}
}

func convert(d metrics.Desc, desc *prometheus.Desc, p metrics.Point) (prometheus.Metric, error) {
	switch d.Kind {
	case metrics.Histogram:
		buckets := make(map[float64]uint64, len(d.Bounds))
		var n uint64
		for i, bound := range d.Bounds {
			n += p.Buckets[i]
			buckets[bound] = n
		}
		return prometheus.NewConstHistogram(desc, n+p.Buckets[len(d.Bounds)], p.Sum, buckets, p.Labels...)
	case metrics.Counter:
		return prometheus.NewConstMetric(desc, prometheus.CounterValue, p.Value, p.Labels...)
	default:
		return prometheus.NewConstMetric(desc, prometheus.GaugeValue, p.Value, p.Labels...)
	}
}
