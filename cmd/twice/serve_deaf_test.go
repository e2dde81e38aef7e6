package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// till is where a test places orders in the store of a process, with time limits of its own choice.
type till struct {
	*testing.T
	engine *sqlite.Engine
	app    *orders.App
}

// newTill opens a store; flags are those of the systems outside, as outside gives them.
func newTill(t *testing.T, file string, flags []string) *till {
	t.Helper()
	engine, err := sqlite.Open(file, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	base, err := orders.On(engine)
	if err != nil {
		t.Fatal(err)
	}
	app, err := orders.New(t.Context(), base, orders.Config{Gateway: flags[1], Mail: flags[3]})
	if err != nil {
		t.Fatal(err)
	}
	return &till{t, engine, app}
}

// place places orders prefix-1 to prefix-n and gives the jobs that charge them.
func (s *till) place(work service.Work, prefix string, n int) (charges []queue.ID) {
	s.Helper()
	s.app.Orders.Work = work
	for i := range n {
		reference := fmt.Sprintf("%s-%d", prefix, i+1)
		o, _, err := s.app.Orders.Place(s.Context(), service.Request{Reference: reference, Customer: reference + "@customer.test", AmountCents: 1234, Currency: "EUR"})
		if err != nil {
			s.Fatal(err)
		}
		charges = append(charges, queue.NewID(jobs.ChargeKind, o.ID))
	}
	return charges
}

// brief gives charges a tenth of a second.
type brief struct{ *jobs.Kinds }

func (b brief) EnqueueCharge(ctx context.Context, in queue.Enqueuer, orderID string) error {
	_, err := b.Charge.Enqueue(ctx, in, jobs.Charge{OrderID: orderID}, twice.Within(100*time.Millisecond))
	return err
}

// A handler that ignores its context keeps its goroutine for ever. Once half of the slots are lost to such
// handlers the process says so and exits with 1, for a supervisor to start it again. With fewer lost, and
// with any number of handlers that are as slow and obey, it goes on serving.
func TestServeEndsWhenHalfOfItsSlotsAreDeaf(t *testing.T) {
	for name, c := range map[string]struct {
		slots, deaf, slow int
		ends              bool
	}{
		"2 of 4 are deaf":          {slots: 4, deaf: 2, ends: true},
		"2 of 5 are deaf":          {slots: 5, deaf: 2},
		"4 of 4 are slow and obey": {slots: 4, slow: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, flags := outside(t)
			file := filepath.Join(t.TempDir(), "orders.db")
			shop := newTill(t, file, flags)
			s := serve(t, append(flags, "--engine", "sqlite:"+file, "--role", "worker", "--livez", "127.0.0.1:0", "--concurrency", fmt.Sprint(c.slots),
				"--max-failures", "1", "--grace", "5s", "--fault", "deaf-=deaf", "--fault", "slow-=hang")...)
			livez := s.says("serving")["livez"].(string)
			late := append(shop.place(brief{shop.app.Kinds}, "deaf", c.deaf), shop.place(brief{shop.app.Kinds}, "slow", c.slow)...)
			if c.ends {
				s.fails(fmt.Sprintf("%d of %d slots", c.deaf, c.slots), "deaf to their context", "let handlers obey their context; start the process again")
			}
			for _, id := range late {
				eventually(t, "its attempt is settled", func() bool {
					r, err := shop.engine.Job(t.Context(), id)
					return err == nil && r.State == queue.Dead && r.Reason == queue.ReasonFailures && strings.Contains(r.Error, "timed out after 100ms")
				})
			}
			if c.ends {
				return
			}
			shop.place(shop.app.Kinds, "ada", 1)
			eventually(t, "an order is served beside", func() bool {
				o, err := shop.app.Orders.Get(t.Context(), service.OrderID("ada-1"))
				return err == nil && o.State == service.ReceiptSent
			})
			if got, live := health(livez); !live || got.Worker == nil || got.Worker.Deaf != c.deaf {
				t.Errorf("live %v: %+v; want %d deaf", live, got.Worker, c.deaf)
			}
			s.ends(10 * time.Second)
		})
	}
}

// fails waits until the process ends by itself, with exit status 1, and checks that the last words of its
// log say each of the texts.
func (s *served) fails(texts ...string) {
	s.t.Helper()
	why := fmt.Sprint(s.says("ended")["error"])
	for _, text := range texts {
		if !strings.Contains(why, text) {
			s.t.Errorf("it does not say %q: %s", text, why)
		}
	}
	var exit *exec.ExitError
	if err := s.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitBad {
		s.t.Errorf("it ended with %v; want exit status %d", err, exitBad)
	}
}
