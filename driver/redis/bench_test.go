package redis

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// What each script costs, by the server's own clock (commandstats) and in all, for batches of some sizes.
//
//	go test ./driver/redis -run '^$' -bench Scripts -benchtime 200x
func BenchmarkScripts(b *testing.B) {
	for _, n := range []int{1, 16, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkScripts(b, n) })
	}
}

func benchmarkScripts(b *testing.B, n int) {
	server := redistest.Start(b, redistest.Options{})
	e, err := Open(context.Background(), server.URL(), Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	payload := make([]byte, 100)
	spent := func() (us float64) {
		info, err := e.client.Do(ctx, e.client.B().Info().Section("commandstats").Build()).ToString()
		if err != nil {
			b.Fatal(err)
		}
		for _, line := range splitLines(info) {
			var calls, usec float64
			if _, err := fmt.Sscanf(line, "cmdstat_evalsha:calls=%g,usec=%g,", &calls, &usec); err == nil {
				us = usec
			}
		}
		return us
	}
	var us [3]float64
	var wall [3]time.Duration
	for i := range b.N {
		jobs := make([]queue.Job, n)
		for k := range jobs {
			jobs[k] = queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprintf("%d/%d", i, k), Payload: payload}
		}
		step := func(s int, do func()) {
			before, began := spent(), time.Now()
			do()
			wall[s] += time.Since(began)
			us[s] += spent() - before
		}
		var leases []queue.Lease
		step(0, func() { _, err = e.Enqueue(ctx, jobs...) })
		step(1, func() {
			leases, err = e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: n, TTL: time.Minute})
		})
		ends := make([]queue.Settlement, len(leases))
		for k, l := range leases {
			ends[k] = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
		}
		step(2, func() { _, err = e.Settle(ctx, ends...) })
		if err != nil || len(leases) != n {
			b.Fatal(len(leases), err)
		}
	}
	for s, name := range []string{"enqueue", "claim", "settle"} {
		b.ReportMetric(us[s]/float64(b.N), name+"-server-us")
		b.ReportMetric(float64(wall[s].Microseconds())/float64(b.N), name+"-us")
	}
}

func splitLines(s string) (lines []string) {
	for len(s) > 0 {
		i := 0
		for i < len(s) && s[i] != '\r' && s[i] != '\n' {
			i++
		}
		lines = append(lines, s[:i])
		for i < len(s) && (s[i] == '\r' || s[i] == '\n') {
			i++
		}
		s = s[i:]
	}
	return lines
}
