package loadtest_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/queue"
)

// Each scenario gives all its figures, on each engine.
func TestScenariosGiveTheirFigures(t *testing.T) {
	engines := map[string]func(*testing.T) (queue.Engine, error){
		"memory": func(*testing.T) (queue.Engine, error) { return memory.New(memory.Config{}) },
		"sqlite": func(t *testing.T) (queue.Engine, error) {
			return sqlite.Open(filepath.Join(t.TempDir(), "twice.db"), sqlite.Config{})
		},
	}
	scenarios := []loadtest.Scenario{loadtest.Enqueue(1, false), loadtest.Enqueue(8, true), loadtest.Bulk(false),
		loadtest.Drain(false), loadtest.Drain(true), loadtest.Both(), loadtest.Pickup()}
	for name, open := range engines {
		for _, sc := range scenarios {
			t.Run(name+"/"+sc.Name, func(t *testing.T) {
				engine, err := open(t)
				if err != nil {
					t.Fatal(err)
				}
				defer engine.Close()
				e := loadtest.Env{Workers: 20, Samples: 2, Length: 20 * time.Millisecond, Cap: 10 * time.Second, IDs: new(atomic.Int64), Log: t.Output()}
				q, err := loadtest.On(t.Context(), engine)
				if err != nil {
					t.Fatal(err)
				}
				if sc.Rest {
					err = e.Chunks(t.Context(), 100, q.EnqueueCold)
				}
				if sc.Waiting {
					e.Backlog = 1100
					err = errors.Join(err, e.Chunks(t.Context(), e.Backlog, q.EnqueueBulk))
				}
				if err != nil {
					t.Fatal(err)
				}
				v, err := sc.Run(t.Context(), e, q)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range sc.Figures {
					if x, ok := v[f.Name]; !ok || (sc.Name != "pickup" && x <= 0) {
						t.Errorf("%s is %v", f.Name, x)
					}
				}
				if left, _ := q.Pending(t.Context()); sc.Waiting && left != 0 {
					t.Errorf("%d jobs are pending", left)
				}
			})
		}
	}
}

func TestAnIDThatIsKnownIsAnError(t *testing.T) {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := loadtest.On(t.Context(), engine)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := q.Enqueue(ctx, 7); err != nil {
		t.Fatal(err)
	}
	if q.Enqueue(ctx, 7) == nil || q.EnqueueBulk(ctx, []int64{8, 7}) == nil {
		t.Error("a duplicate counted as a job stored")
	}
}
