package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

// Many at once enqueue, look, list and change; nothing is lost, and every answer is as described.
func TestConcurrent_use(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		var all sync.WaitGroup
		var accepted atomic.Int64
		note := func(err error) {
			if err != nil && !errors.Is(err, queue.ErrUnavailable) { // the bounds on scans and operations
				t.Error(err)
			}
		}
		for n := range 8 {
			all.Go(func() {
				for i := range 10 {
					key := fmt.Sprintf("%d-%d", n, i)
					receipts, err := c.Enqueue(t.Context(), queue.Job{Queue: "default", Kind: "a", Key: key}, queue.Job{Queue: "default", Kind: "a", Key: "shared"})
					note(err)
					for _, got := range receipts {
						if got.Status == queue.Accepted {
							accepted.Add(1)
						}
					}
					_, err = c.JobOf(t.Context(), "a", key)
					note(err)
					_, err = c.JobsPage(t.Context(), queue.Query{Limit: 5})
					note(err)
					_, err = c.Cancel(t.Context(), Change{IDs: []queue.ID{queue.NewID("a", key)}, Why: because})
					note(err)
					_, err = c.Audit(t.Context())
					note(err)
					_, err = c.Redrive(t.Context(), Change{Filter: &Filter{All: true}, Why: because})
					note(err)
					_, err = c.Operations(t.Context())
					note(err)
					_, err = c.DeadGroups(t.Context(), queue.Query{}, 0)
					note(err)
				}
			})
		}
		all.Wait()
		a := must[Audit](t)(c.Audit(t.Context()))
		if a.Total.Accepted != accepted.Load() || accepted.Load() != 81 || a.Total.Cancelled != 80 || !a.Balanced {
			t.Errorf("%d accepted, %+v", accepted.Load(), a.Total)
		}
	})
}

// counted counts how much an engine was asked for at a time.
type counted struct {
	*memory.Engine
	largest atomic.Int64
}

func (c *counted) List(ctx context.Context, q queue.Query) (queue.Page, error) {
	c.largest.Store(max(c.largest.Load(), int64(q.Limit)))
	return c.Engine.List(ctx, q)
}

// A long list of large jobs is a bounded answer, made of bounded parts.
func TestLists_are_bounded(t *testing.T) {
	e := &counted{Engine: inMemory(t)}
	r := newRig(t, e, Config{})
	jobs := make([]queue.Job, 1200)
	for i := range jobs {
		jobs[i] = queue.Job{Queue: "default", Kind: "a", Key: fmt.Sprint(i), Payload: []byte(strings.Repeat("p", 64<<10))}
	}
	must[[]queue.Receipt](t)(e.Enqueue(t.Context(), jobs...))
	bury(t, e, "a", queue.ReasonFailures, func(queue.Lease) string { return strings.Repeat("e", 8<<10) })
	w := r.ask("GET", v1+"jobs?limit=1000", "")
	if w.Code != 200 || w.Body.Len() > 3<<20 || e.largest.Load() > pageStep {
		t.Errorf("%d: %d bytes, %d at a time", w.Code, w.Body.Len(), e.largest.Load())
	}
	w = r.ask("GET", v1+"dead/groups", "")
	if w.Code != 200 || w.Body.Len() > 10<<10 || e.largest.Load() > pageStep {
		t.Errorf("%d: %d bytes, %d at a time", w.Code, w.Body.Len(), e.largest.Load())
	}
	if w := r.ask("GET", v1+"jobs?limit=1001", ""); w.Code != 400 {
		t.Error(w.Code)
	}
}

// A hundred thousand queue names are a page at a time.
func TestQueues_by_the_many(t *testing.T) {
	e := inMemory(t)
	r := newRig(t, e, Config{})
	for at := 0; at < 100_000; at += 10_000 {
		jobs := make([]queue.Job, 10_000)
		for i := range jobs {
			jobs[i] = queue.Job{Queue: fmt.Sprintf("q%06d", at+i), Kind: "k", Key: fmt.Sprint(at + i)}
		}
		must[[]queue.Receipt](t)(e.Enqueue(t.Context(), jobs...))
	}
	r.Handler = r.api // the test's own reading of so much is what takes long
	if w := r.ask("GET", v1+"queues?limit=1000&cursor=q050000", ""); w.Code != 200 || w.Body.Len() > 1<<20 || !strings.Contains(w.Body.String(), `"next":"q051000"`) {
		t.Errorf("%d: %d bytes", w.Code, w.Body.Len())
	}
	if w := r.ask("GET", v1+"audit", ""); w.Code != 200 || w.Body.Len() > 1<<20 || !strings.Contains(w.Body.String(), `"accepted":100000`) {
		t.Errorf("%d: %d bytes", w.Code, w.Body.Len())
	}
}

// Those that go through all that is stored are few at a time.
func TestScans_are_bounded(t *testing.T) {
	r := newRig(t, inMemory(t), Config{MaxScans: 1})
	leave, err := r.api.through("test")
	if err != nil {
		t.Fatal(err)
	}
	c := r.client("")
	for _, err := range []error{third(c.Audit(t.Context())), third(c.DeadGroups(t.Context(), queue.Query{}, 0)), third(c.Redrive(t.Context(), Change{Filter: &Filter{All: true}, DryRun: true}))} {
		if !errors.Is(err, queue.ErrUnavailable) {
			t.Error(err)
		}
	}
	leave()
	must[Audit](t)(c.Audit(t.Context()))
}
