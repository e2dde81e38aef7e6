package gateway_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
)

// start runs a gateway over HTTP and returns it with a client.
func start(t *testing.T, cfg gateway.Config) (*gateway.Server, *gateway.Client, string) {
	t.Helper()
	s, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		if err := s.Close(); err != nil { // before web.Close, which waits for held calls
			t.Error(err)
		}
		web.Close()
	})
	c, err := gateway.NewClient(web.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, c, web.URL
}

func charge(t *testing.T, c *gateway.Client, key, order string, cents int64) gateway.Charge {
	t.Helper()
	got, err := c.Charge(t.Context(), key, order, cents, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func control(t *testing.T, c *gateway.Client, told gateway.Control) {
	t.Helper()
	if err := c.Control(t.Context(), told); err != nil {
		t.Fatal(err)
	}
}

// list returns the whole list of charges, read page by page.
func list(t *testing.T, c *gateway.Client) []gateway.Charge {
	t.Helper()
	var all []gateway.Charge
	for charge, err := range c.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, charge)
	}
	return all
}

// await polls until the condition holds; ten seconds without it fail the test.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("still not so: %s", what)
		}
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}
