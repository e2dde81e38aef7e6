package sqlite

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/twicehq/twice/queue"
)

func BenchmarkEnqueueBulk(b *testing.B) {
	e := open(b, Config{})
	n := 0
	for b.Loop() {
		accept(b, e, jobs(n, 1000)...)
		n += 1000
	}
	perSecond(b, n)
}

func BenchmarkEnqueueDuplicates(b *testing.B) {
	e := open(b, Config{})
	accept(b, e, jobs(0, 100_000)...)
	n := 0
	for b.Loop() {
		if _, err := e.Enqueue(ctx, jobs(n%99_000, 1000)...); err != nil {
			b.Fatal(err)
		}
		n += 1000
	}
	perSecond(b, n)
}

func BenchmarkEnqueueBy64(b *testing.B) {
	e := open(b, Config{})
	var producer, n atomic.Int64
	b.SetParallelism(64)
	b.RunParallel(func(pb *testing.PB) {
		p := producer.Add(1)
		for i := 0; pb.Next(); i++ {
			if _, err := e.Enqueue(ctx, named(fmt.Sprintf("p%d-%d", p, i))); err != nil {
				b.Error(err)
				return
			}
			n.Add(1)
		}
	})
	perSecond(b, int(n.Load()))
}

func BenchmarkDrain(b *testing.B) {
	e := open(b, Config{})
	const each = 200
	made, n := 0, 0
	var ends []queue.Settlement
	for b.Loop() {
		if n == made {
			b.StopTimer()
			accept(b, e, jobs(made, 20*each)...)
			made += 20 * each
			b.StartTimer()
		}
		_, leases, err := e.Exchange(ctx, ends, request(each))
		if err != nil {
			b.Fatal(err)
		}
		ends = ends[:0]
		for _, l := range leases {
			ends = append(ends, done(l))
		}
		n += len(leases)
	}
	perSecond(b, n)
}

func perSecond(b *testing.B, n int) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "jobs/s")
}
