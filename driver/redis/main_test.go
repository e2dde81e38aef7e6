package redis

import (
	"context"
	flags "flag"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

func TestMain(m *testing.M) {
	flags.Parse()
	given := false
	flags.Visit(func(f *flags.Flag) { given = given || f.Name == "rapid.checks" })
	if underRace && !given {
		_ = flags.Set("rapid.checks", "20") // random histories of the suite
	}
	os.Exit(m.Run())
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// within is how long a test waits for what must come.
const within = 40 * time.Second

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come about within %s: %s", within, what)
		}
	}
}

// engine opens one that is closed with its test.
func engine(t *testing.T, url string, cfg Config) *Engine {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = quiet
	}
	e, err := Open(context.Background(), url, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// claimOf asks for jobs of kind k of queue q, and waits for the first.
func claimOf(most int) queue.Claim {
	return queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: most, TTL: time.Minute, Wait: within}
}
