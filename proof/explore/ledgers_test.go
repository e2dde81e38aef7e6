package explore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/queue"
)

var errDry = errors.New("rolled back on purpose")

// ledgerOnSQLite makes effects in transactions of its file.
type ledgerOnSQLite struct{ *sqlite.Ledger }

func (l ledgerOnSQLite) Effect(ctx context.Context, step string, dry bool) (made bool, err error) {
	err = l.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
		made = false
		_, err := ledger.Within(ctx, l.In(tx), step, func(context.Context) (int, error) { made = true; return 1, nil })
		return rolledBack(err, dry)
	})
	return end(made, err)
}

// ledgerOnRedis makes effects in scripts.
type ledgerOnRedis struct{ *redis.Ledger }

func (l ledgerOnRedis) Effect(ctx context.Context, step string, dry bool) (made bool, err error) {
	err = l.Atomically(ctx, func(tx *redis.LedgerTx) error {
		made = false
		_, err := ledger.Within(ctx, tx, step, func(context.Context) (int, error) { made = true; return 1, nil })
		return rolledBack(err, dry)
	})
	return end(made, err)
}

func rolledBack(err error, dry bool) error {
	if err == nil && dry {
		return errDry
	}
	return err
}

func end(made bool, err error) (bool, error) {
	if errors.Is(err, errDry) {
		return false, nil
	}
	return made && err == nil, err
}

// storedLedgers are ledgers that are kept outside.
var storedLedgers = []struct {
	name string
	make func(*testing.T, explore.Bounds) explore.MakeLedger
}{
	{"sqlite", func(t *testing.T, b explore.Bounds) explore.MakeLedger {
		dir, n := t.TempDir(), 0
		return func(now func() time.Time) (explore.Ledger, error) {
			n++
			_, keepFor := spans(b)
			l, err := sqlite.OpenLedger(filepath.Join(dir, fmt.Sprint(n)), sqlite.Config{Now: now, KeepFor: keepFor, Relaxed: true, Logger: quiet})
			return ledgerOnSQLite{l}, err
		}
	}},
	{"redis", func(t *testing.T, b explore.Bounds) explore.MakeLedger {
		s, n := redistest.Start(t, redistest.Options{}), 0
		return func(now func() time.Time) (explore.Ledger, error) {
			n++
			_, keepFor := spans(b)
			l, err := redis.OpenLedger(t.Context(), s.URL(), redis.Config{Now: now, KeepFor: keepFor, Prefix: fmt.Sprint("t", n), Logger: quiet})
			return ledgerOnRedis{l}, err
		}
	}},
}

// Every other ledger keeps the protocol on each of its states, too.
func TestStoredLedgersKeepTheProtocol(t *testing.T) {
	for _, s := range storedLedgers {
		t.Run(s.name, func(t *testing.T) {
			b := explore.Bounds{Tokens: 1, Instants: 2, Horizon: 1}
			if underRace { // each store is made ten times as slowly
				b = explore.Bounds{Tokens: 1}
			}
			switch report, err := explore.Books(s.make(t, b), b); {
			case err != nil:
				t.Fatal(err)
			case report.Found != nil:
				t.Errorf("\n%s", report.Found)
			case report.Rows != explore.ProtocolOfBooks(b):
				t.Errorf("%d rows, the protocol allows %d", report.Rows, explore.ProtocolOfBooks(b))
			default:
				t.Logf("%d rows, %d steps", report.Rows, report.Steps)
			}
		})
	}
}
