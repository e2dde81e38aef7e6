package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/twicehq/twice/examples/orders/gateway"
)

type answered struct {
	charge gateway.Charge
	err    error
}

// begin charges beside the test; the answer comes on the channel.
func begin(ctx context.Context, c *gateway.Client, key, order string) <-chan answered {
	done := make(chan answered, 1)
	go func() {
		got, err := c.Charge(ctx, key, order, 100, "EUR")
		done <- answered{got, err}
	}()
	return done
}

func awaitHeld(t *testing.T, s *gateway.Server, n int) {
	t.Helper()
	await(t, fmt.Sprintf("%d held", n), func() bool { return len(s.State().Held) == n })
}

func TestHoldAfterTheCharge(t *testing.T) {
	s, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{HoldAfter: gateway.Aim{Orders: map[string]int{"o-1": 1}}})
	done := begin(t.Context(), c, "k1", "o-1")
	awaitHeld(t, s, 1)
	st, err := c.State(t.Context())
	if want := (gateway.Held{OrderID: "o-1", Key: "k1", Charged: true}); err != nil || st.Held[0] != want {
		t.Errorf("held = %+v, %v; want %+v", st.Held, err, want)
	}
	found, ok, err := c.Find(t.Context(), "k1")
	if err != nil || !ok {
		t.Fatalf("while held: Find = %v, %v; want the charge", ok, err)
	}
	if again := charge(t, c, "k1", "o-1", 100); again != found { // its count is used up
		t.Errorf("repeat while held: %+v, want %+v", again, found)
	}
	charge(t, c, "k2", "o-2", 100) // others pass
	if n, err := c.Release(t.Context(), "o-2"); n != 0 || err != nil {
		t.Errorf("released %d of o-2, %v; want 0", n, err)
	}
	if n, err := c.Release(t.Context(), "o-1"); n != 1 || err != nil {
		t.Fatalf("released %d, %v; want 1", n, err)
	}
	if got := <-done; got.err != nil || got.charge != found {
		t.Errorf("after release: %+v, want %+v", got, found)
	}
	awaitHeld(t, s, 0)
}

func TestHoldBeforeTheCharge(t *testing.T) {
	s, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{HoldBefore: gateway.Aim{Next: 1}})
	done := begin(t.Context(), c, "k1", "o-1")
	awaitHeld(t, s, 1)
	if _, found, err := c.Find(t.Context(), "k1"); found || err != nil {
		t.Errorf("while held: Find = %v, %v; want nothing", found, err)
	}
	s.Release()
	if got := <-done; got.err != nil {
		t.Error(got.err)
	}
}

func TestCallerThatGoesAwayIsNoLongerHeld(t *testing.T) {
	for name, row := range map[string]struct {
		told    gateway.Control
		charged bool
	}{
		"before": {gateway.Control{HoldBefore: gateway.Aim{Next: 1}}, false},
		"after":  {gateway.Control{HoldAfter: gateway.Aim{Next: 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, c, _ := start(t, gateway.Config{})
			control(t, c, row.told)
			ctx, cancel := context.WithCancel(t.Context())
			done := begin(ctx, c, "k1", "o-1")
			awaitHeld(t, s, 1)
			cancel()
			got := <-done
			if !errors.Is(got.err, gateway.ErrUnavailable) || !errors.Is(got.err, context.Canceled) {
				t.Errorf("err = %v, want ErrUnavailable and context.Canceled", got.err)
			}
			awaitHeld(t, s, 0)
			if _, found, err := c.Find(t.Context(), "k1"); found != row.charged || err != nil {
				t.Errorf("charged %v, %v; want %v", found, err, row.charged)
			}
		})
	}
}

func TestHoldsAreBounded(t *testing.T) {
	s, c, _ := start(t, gateway.Config{MaxHeld: 2})
	control(t, c, gateway.Control{HoldBefore: gateway.Aim{Next: gateway.Always}})
	a, b := begin(t.Context(), c, "k1", "o-1"), begin(t.Context(), c, "k2", "o-2")
	awaitHeld(t, s, 2)
	_, err := c.Charge(t.Context(), "k3", "o-3", 1, "EUR")
	if !errors.Is(err, gateway.ErrUnavailable) {
		t.Fatalf("third: %v, want ErrUnavailable", err)
	}
	contains(t, err.Error(), "MaxHeld")
	if n := s.State().Counts.HoldsRefused; n != 1 {
		t.Errorf("%d holds refused, want 1", n)
	}
	if n := s.Release(); n != 2 {
		t.Errorf("released %d, want 2", n)
	}
	for _, done := range []<-chan answered{a, b} {
		if got := <-done; got.err != nil {
			t.Error(got.err)
		}
	}
}

func TestCloseEndsHeldAndDelayedCalls(t *testing.T) {
	s, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{HoldAfter: gateway.Aim{Next: 1}})
	held := begin(t.Context(), c, "k1", "o-1")
	awaitHeld(t, s, 1)
	control(t, c, gateway.Control{LatencyMS: 60_000})
	slow := begin(t.Context(), c, "k2", "o-2")
	await(t, "the slow call has come", func() bool { return s.State().Counts.Calls == 2 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, done := range []<-chan answered{held, slow} {
		if got := <-done; !errors.Is(got.err, gateway.ErrUnavailable) {
			t.Errorf("err = %v, want ErrUnavailable", got.err)
		}
	}
	if err := c.Live(t.Context()); !errors.Is(err, gateway.ErrUnavailable) {
		t.Errorf("livez after close: %v, want ErrUnavailable", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}
