package metrics

import (
	"sync/atomic"
	"time"
)

// histogram counts durations by size. It may be used concurrently; what is read while it is written may lack the
// last durations in the sum.
type histogram struct {
	bounds  []float64 // in seconds
	buckets []atomic.Uint64
	sum     atomic.Int64 // in nanoseconds
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, buckets: make([]atomic.Uint64, len(bounds)+1)}
}

func (h *histogram) observe(d time.Duration) {
	d = max(0, d) // a clock that went back
	s, i := d.Seconds(), 0
	for i < len(h.bounds) && s > h.bounds[i] {
		i++
	}
	h.buckets[i].Add(1)
	h.sum.Add(int64(d))
}

// point gives what there is; false where nothing was ever observed.
func (h *histogram) point(labels ...string) (Point, bool) {
	p := Point{Labels: labels, Buckets: make([]uint64, len(h.buckets)), Sum: time.Duration(h.sum.Load()).Seconds()}
	for i := range h.buckets {
		p.Buckets[i] = h.buckets[i].Load()
		p.Value += float64(p.Buckets[i])
	}
	return p, p.Value > 0
}
