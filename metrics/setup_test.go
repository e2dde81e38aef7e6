package metrics_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

type args struct {
	N int `json:"n"`
}

var kind = twice.Define("test.count", twice.Policy[args]{Key: func(a args) string { return fmt.Sprint(a.N) }, Queue: "q", MaxFailures: 2})

func newEngine(t testing.TB) *memory.Engine {
	t.Helper()
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// flaky is an engine whose counts fail, or do not come.
type flaky struct {
	*memory.Engine
	down   atomic.Bool
	hang   atomic.Bool
	calls  atomic.Int64
	mu     sync.Mutex
	thaw   chan struct{} // a call that hangs returns when it is closed, and not before
	depths []queue.Depth // nil: the engine's
}

func (f *flaky) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	f.calls.Add(1)
	if f.hang.Load() {
		f.mu.Lock()
		thaw := f.thaw
		f.mu.Unlock()
		<-thaw
	}
	if f.down.Load() {
		return nil, &queue.Error{Op: "depths", Reason: queue.ErrUnavailable}
	}
	if f.depths != nil {
		return f.depths, nil
	}
	return f.Engine.Depths(ctx, queues...)
}

// text writes families as lines, for comparison: a name with its labels, and the value.
func text(families []metrics.Family, names ...string) string {
	var out strings.Builder
	for _, name := range names {
		for _, p := range metrics.Find(families, name).Points {
			fmt.Fprintf(&out, "%s%v %v\n", strings.TrimPrefix(name, "twice_"), p.Labels, p.Value)
		}
	}
	return out.String()
}

func want(t *testing.T, got, wanted string) {
	t.Helper()
	lines := strings.Fields
	if strings.Join(lines(got), " ") != strings.Join(lines(wanted), " ") {
		t.Errorf("got\n%s\nwant\n%s", got, wanted)
	}
}

// event is one of an attempt of this queue and kind.
func event(what worker.What, queueName, kind string, o queue.Outcome) worker.Event {
	return worker.Event{What: what, Outcome: o, Run: 30 * time.Millisecond, Wait: 2 * time.Second,
		Lease: &queue.Lease{Job: queue.Job{Queue: queueName, Kind: kind, RunAt: time.Unix(1, 0)}}}
}
