// Package otelmetrics gives metrics to the OpenTelemetry API, and through it to whatever SDK the application has
// installed; without one it does nothing.
package otelmetrics

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/twicehq/twice/metrics"
)

// New makes metrics that meter reads, under the same names as everywhere: what rises and what goes up and down when
// it collects, durations as they happen. cfg.Durations is called as well, where it is set. stop ends the reading. It
// fails where meter makes no instrument of one.
func New(meter metric.Meter, cfg metrics.Config) (m *metrics.Metrics, stop func() error, err error) {
	b := &bridge{observables: map[string]metric.Float64Observable{}, histograms: map[string]metric.Float64Histogram{}}
	var all []metric.Observable
	for _, d := range metrics.All() {
		var wrong error
		switch d.Kind {
		case metrics.Histogram:
			b.histograms[d.Name], wrong = meter.Float64Histogram(d.Name, metric.WithDescription(d.Help), metric.WithUnit(d.Unit), metric.WithExplicitBucketBoundaries(d.Bounds...))
		case metrics.Counter:
			b.observables[d.Name], wrong = meter.Float64ObservableCounter(d.Name, metric.WithDescription(d.Help), metric.WithUnit(d.Unit))
		default:
			b.observables[d.Name], wrong = meter.Float64ObservableGauge(d.Name, metric.WithDescription(d.Help), metric.WithUnit(d.Unit))
		}
		err = errors.Join(err, wrong)
		if o := b.observables[d.Name]; o != nil && wrong == nil {
			all = append(all, o)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	b.also, cfg.Durations = cfg.Durations, b.durations
	b.m = metrics.New(cfg)
	registration, err := meter.RegisterCallback(b.collect, all...)
	if err != nil {
		return nil, nil, err
	}
	return b.m, registration.Unregister, nil
}

type bridge struct {
	m           *metrics.Metrics
	observables map[string]metric.Float64Observable
	histograms  map[string]metric.Float64Histogram
	also        func(metrics.Desc, string, string) func(context.Context, float64)
}

// collect observes everything but the histograms.
func (b *bridge) collect(ctx context.Context, to metric.Observer) error {
	for _, family := range b.m.Read(ctx) {
		if observable := b.observables[family.Name]; observable != nil {
			for _, p := range family.Points {
				to.ObserveFloat64(observable, p.Value, metric.WithAttributeSet(attributes(family.Desc, p.Labels...)))
			}
		}
	}
	return ctx.Err()
}

func attributes(d metrics.Desc, values ...string) attribute.Set {
	var attrs []attribute.KeyValue
	for i, name := range d.Labels {
		attrs = append(attrs, attribute.String(name, values[i]))
	}
	if d.Global {
		attrs = append(attrs, attribute.String(metrics.ScopeLabel, metrics.ScopeEngine))
	}
	return attribute.NewSet(attrs...)
}

// durations records into a histogram, with attributes made once for each pair of queue and kind.
func (b *bridge) durations(d metrics.Desc, queue, kind string) func(context.Context, float64) {
	histogram := b.histograms[d.Name]
	options := []metric.RecordOption{metric.WithAttributeSet(attributes(d, queue, kind))}
	var also func(context.Context, float64)
	if b.also != nil {
		also = b.also(d, queue, kind)
	}
	return func(ctx context.Context, seconds float64) {
		histogram.Record(ctx, seconds, options...)
		if also != nil {
			also(ctx, seconds)
		}
	}
}
