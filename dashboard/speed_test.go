package dashboard

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/httpapi"
	"github.com/twicehq/twice/queue"
)

// TestOverviewSpeed measures the overview with as many jobs done, as many due later, and 10 ready: 2,000 each, and
// with -full a million each. What it shows is checked; how long it takes is told, and bounded at full size only.
func TestOverviewSpeed(t *testing.T) {
	n := 2000
	if *full {
		n = 1_000_000
	}
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "jobs.db"), sqlite.Config{Relaxed: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	w := &world{t: t, ctx: t.Context()}
	made := 0
	enqueue := func(n int, at time.Time) {
		const batch = 5000
		for left := n; left > 0; left -= batch {
			jobs := make([]queue.Job, min(batch, left))
			for i := range jobs {
				made++
				j, err := queue.Job{Queue: "orders", Kind: "orders.place", Key: fmt.Sprint(made), Payload: []byte("{}"), RunAt: at}.Prepared(4096, time.Now())
				w.must(err)
				jobs[i] = j
			}
			_, err := engine.Enqueue(w.ctx, jobs...)
			w.must(err)
		}
	}
	for left := n; left > 0; left -= 5000 {
		enqueue(min(5000, left), time.Time{})
		leases, err := engine.Claim(w.ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"orders"}, Kinds: []string{"orders.place"}, Max: 5000, TTL: time.Minute})
		w.must(err)
		ends := make([]queue.Settlement, len(leases))
		for i, l := range leases {
			ends[i] = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
		}
		_, err = engine.Settle(w.ctx, ends...)
		w.must(err)
	}
	enqueue(n, time.Now().Add(24*time.Hour))
	enqueue(10, time.Time{})
	watch := diagnose.NewWatch(engine, diagnose.Config{})
	watch.Take(w.ctx)
	api, err := httpapi.New(engine, httpapi.Config{Logger: slog.New(slog.DiscardHandler), Findings: func(context.Context) ([]diagnose.Finding, error) { return watch.Findings(), nil }})
	w.must(err)
	board, err := New(api, Config{Every: -1})
	w.must(err)
	w.handler = board
	want := fmt.Sprintf("<dt>Done</dt><dd><bdi>%s</bdi>", counted(n))
	for deadline := time.Now().Add(20 * time.Second); ; { // counts are at most 5 s old
		if a := w.ask("GET", "/", ""); a.Code == http.StatusOK && strings.Contains(a.Body.String(), want) && strings.Contains(a.Body.String(), "<dt>Due now</dt><dd><bdi>10</bdi>") {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(main(a.Body.String()))
		}
	}
	var took []time.Duration
	for range 30 {
		began := time.Now()
		if a := w.ask("GET", "/", ""); a.Code != http.StatusOK {
			t.Fatal(a.Code)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("overview at %s done, %s due later and 10 ready: median %s, slowest of %d %s", counted(n), counted(n), took[len(took)/2].Round(10*time.Microsecond), len(took), took[len(took)-1].Round(10*time.Microsecond))
	if *full && took[len(took)/2] > 50*time.Millisecond {
		t.Error("it takes longer than 50 ms")
	}
}

func BenchmarkOverview(b *testing.B) {
	w := newWorld(b, false, Config{})
	w.play()
	for b.Loop() {
		w.ask("GET", "/", "")
	}
}
