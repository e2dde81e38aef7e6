package explore_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/queue"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// onSQLite asks in a transaction whether a lease is held.
type onSQLite struct{ *sqlite.Engine }

func (e onSQLite) Under(lease queue.Lease, fn func() error) error {
	return e.Atomically(context.Background(), func(ctx context.Context, tx queue.SQL) error {
		if err := e.In(tx).Hold(ctx, lease); err != nil {
			return err
		}
		return fn()
	})
}

// onRedis is the same with a script.
type onRedis struct{ *redis.Engine }

func (e onRedis) Under(lease queue.Lease, fn func() error) error {
	ctx := context.Background()
	return e.Atomically(ctx, func(tx *redis.Tx) error {
		if err := e.In(tx).Hold(ctx, lease); err != nil {
			return err
		}
		return fn()
	})
}

// stores are engines that keep jobs outside: slower to make, so explored within smaller bounds.
var stores = []struct {
	name string
	make func(*testing.T, explore.Bounds) explore.Make
}{
	{"sqlite", func(t *testing.T, b explore.Bounds) explore.Make {
		dir, n := t.TempDir(), 0
		return func(now func() time.Time) (explore.Engine, error) {
			n++
			uniqueFor, keepFor := spans(b)
			e, err := sqlite.Open(filepath.Join(dir, fmt.Sprint(n)), sqlite.Config{Now: now, UniqueFor: uniqueFor, KeepFor: keepFor, Relaxed: true, Logger: quiet})
			return onSQLite{e}, err
		}
	}},
	{"redis", func(t *testing.T, b explore.Bounds) explore.Make {
		s, n := redistest.Start(t, redistest.Options{}), 0
		return func(now func() time.Time) (explore.Engine, error) {
			n++
			uniqueFor, keepFor := spans(b)
			e, err := redis.Open(t.Context(), s.URL(), redis.Config{Now: now, UniqueFor: uniqueFor, KeepFor: keepFor, Prefix: fmt.Sprint("t", n), Logger: quiet})
			return onRedis{e}, err
		}
	}},
}

// spans are for how long a store remembers ids, and effects.
func spans(b explore.Bounds) (uniqueFor, keepFor time.Duration) {
	if b.Instants == 0 {
		return time.Hour, 0
	}
	return time.Millisecond, explore.Remember(b.Horizon)
}

// Every other engine keeps the protocol on each of its rows, too.
func TestStoresKeepTheProtocol(t *testing.T) {
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			all := []explore.Bounds{
				{Tokens: 3, Redrives: 1, Failures: 2, Crashes: 3, Lone: true, Anew: true},
				{Tokens: 1, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2, Anew: true},
				{Tokens: 2, Prune: true, Failures: 2, Crashes: 2, Anew: true},
				{Tokens: 1, Failures: 1, Crashes: 2, Prune: true, Anew: true, Instants: 2, Horizon: 1, Stored: true},
			}
			if underRace { // the detector makes these engines ten times as slow
				all = []explore.Bounds{{Tokens: 1, Redrives: 1, Prune: true, Failures: 2, Crashes: 3, Lone: true, Anew: true}, {Failures: 1, Crashes: 2, Anew: true, Instants: 2, Horizon: 1, Stored: true}}
			}
			for _, b := range all {
				report, err := explore.Rows(s.make(t, b), b)
				switch want := explore.Protocol(b); {
				case err != nil:
					t.Fatal(err)
				case report.Found != nil:
					t.Errorf("\n%s", report.Found)
				case report.Rows != want:
					t.Errorf("%d rows, the protocol allows %d", report.Rows, want)
				default:
					t.Logf("%d rows, %d steps", report.Rows, report.Steps)
				}
			}
		})
	}
}
