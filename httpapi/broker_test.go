package httpapi

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// A broker that freezes, and one that is gone, is an error of its sort within bounded time; health says so, and once
// it is back everything is served again.
func TestBroker_that_goes_away(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	e, err := redis.Open(t.Context(), "redis://"+server.Addr(), redis.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	r := newRig(t, e, Config{Timeout: time.Second, HealthTimeout: time.Second})
	c := r.client("")
	job := queue.Job{Queue: "default", Kind: "a", Key: "x"}
	must[[]queue.Receipt](t)(c.Enqueue(t.Context(), job))
	away := func(how string) {
		t.Helper()
		began := time.Now()
		if _, err := c.Queue(t.Context(), "default"); !errors.Is(err, queue.ErrUnavailable) && !errors.Is(err, queue.ErrUnknownOutcome) {
			t.Errorf("%s: a look: %v", how, err)
		}
		if _, err := c.Enqueue(t.Context(), job); !errors.Is(err, queue.ErrUnavailable) && !errors.Is(err, queue.ErrUnknownOutcome) {
			t.Errorf("%s: a change: %v", how, err)
		}
		if h, err := c.Ready(t.Context()); err != nil || h.Status == "ok" {
			t.Errorf("%s: ready: %+v %v", how, h, err)
		}
		if h, err := c.Live(t.Context()); err != nil || h.Status != "ok" {
			t.Errorf("%s: live: %+v %v", how, h, err)
		}
		if d := time.Since(began); d > 20*time.Second { // three seconds, and all that a busy machine may add
			t.Errorf("%s took %s", how, d)
		}
	}
	server.Freeze()
	away("frozen")
	server.Thaw()
	server.Kill()
	away("gone")
	server.Restart()
	limit := time.Now().Add(30 * time.Second)
	for {
		h, err := c.Ready(t.Context())
		if err == nil && h.Status == "ok" {
			break
		}
		if time.Now().After(limit) {
			t.Fatal(h, err)
		}
	}
	must[[]queue.Receipt](t)(c.Enqueue(t.Context(), queue.Job{Queue: "default", Kind: "a", Key: "y"}))
}
