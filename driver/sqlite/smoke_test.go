package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

func open(t testing.TB, cfg Config) *Engine {
	t.Helper()
	e, err := Open(filepath.Join(t.TempDir(), "q.db"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

var payload = []byte(`{"id":"00000000000000000000000001","tenant":"acme-industries","pad":"xxxxxxxxxxxxxxxxxxxxxxxxxxx"}`)

func jobs(from, n int) []queue.Job {
	out := make([]queue.Job, n)
	for i := range out {
		out[i] = queue.Job{Queue: "default", Kind: "bench.noop", Key: fmt.Sprintf("%010d", from+i), Payload: payload}
	}
	return out
}

func TestSmoke(t *testing.T) {
	e := open(t, Config{})
	ctx := context.Background()
	start := time.Now()
	const n = 100000
	for i := 0; i < n; i += 1000 {
		rs, err := e.Enqueue(ctx, jobs(i, 1000)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			if r.Status != queue.Accepted {
				t.Fatal(r)
			}
		}
	}
	t.Logf("bulk %.0f/s", n/time.Since(start).Seconds())
	start = time.Now()
	rs, err := e.Enqueue(ctx, jobs(500, 1000)...)
	if err != nil || rs[0].Status != queue.Duplicate {
		t.Fatal(rs[0], err)
	}
	t.Logf("dups %.0f/s", 1000/time.Since(start).Seconds())
	start = time.Now()
	var total int
	var ends []queue.Settlement
	for {
		req := queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"default"}, Kinds: []string{"bench.noop"}, Max: 200, TTL: time.Minute}
		answers, ls, err := e.Exchange(ctx, ends, req)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if a != nil {
				t.Fatal(a)
			}
		}
		ends = ends[:0]
		for _, l := range ls {
			ends = append(ends, queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
		}
		total += len(ls)
		if len(ls) == 0 {
			break
		}
	}
	t.Logf("drain %.0f/s", float64(total)/time.Since(start).Seconds())
	if total != n {
		t.Fatal(total)
	}
	books, err := e.Audit(ctx)
	t.Log(books, err)
	d, err := e.Depths(ctx)
	t.Logf("%+v %v", d, err)
	var wg sync.WaitGroup
	var c atomic.Int64
	start = time.Now()
	for p := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; time.Since(start) < 2*time.Second; i++ {
				j := queue.Job{Queue: "default", Kind: "bench.noop", Key: fmt.Sprintf("p%d-%d", p, i), Payload: payload}
				if _, err := e.Enqueue(ctx, j); err != nil {
					t.Error(err)
					return
				}
				c.Add(1)
			}
		}()
	}
	wg.Wait()
	t.Logf("64p %.0f/s", float64(c.Load())/time.Since(start).Seconds())
}
