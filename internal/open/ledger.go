package open

import (
	"context"
	"os"

	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Ledger opens the record of effects that url names, which must be there: a new one would know of no effect,
// and would be as good as none. Where url is empty it is the engine's own; nil where the engine keeps none.
// The func closes what was opened for it, and nothing that is the engine's.
func Ledger(ctx context.Context, engine queue.Engine, url string) (ledger.Store, func() error, error) {
	nothing := func() error { return nil }
	if err := ctx.Err(); err != nil {
		return nil, nothing, &queue.Error{Op: "open", Subject: "ledger " + Redacted(url), Reason: err, Detail: "nothing was opened"}
	}
	if url == "" {
		return own(engine), nothing, nil
	}
	a, err := parse(url)
	if err != nil {
		return nil, nothing, err
	}
	switch a.scheme {
	case "memory":
		return nil, nothing, &queue.Error{Op: "open", Subject: "ledger memory:", Reason: queue.ErrInvalid, Detail: "it would forget every effect when this process ends",
			Remedy: "name the database that the effects change; or leave TWICE_LEDGER out, for the engine's own"}
	case "sqlite":
		path, cfg, err := a.sqlite()
		if err != nil {
			return nil, nothing, err
		}
		if e, ok := queue.As[*sqlite.Engine](engine); ok && same(path, e.Path()) {
			return e.Ledger(), nothing, nil
		}
		if err := present(path); err != nil {
			return nil, nothing, err
		}
		store, err := sqlite.OpenLedger(path, cfg)
		if err != nil {
			return nil, nothing, err
		}
		return store, store.Close, nil
	case "redis", "rediss":
		url, cfg, err := a.redis()
		if err != nil {
			return nil, nothing, err
		}
		store, err := redis.OpenLedger(ctx, url, cfg)
		if err != nil {
			return nil, nothing, err
		}
		return store, store.Close, nil
	}
	return nil, nothing, a.absent("open ledger")
}

// own gives the ledger that an engine keeps in its own database.
func own(engine queue.Engine) ledger.Store {
	if e, ok := queue.As[*sqlite.Engine](engine); ok {
		return e.Ledger()
	}
	if e, ok := queue.As[*redis.Engine](engine); ok {
		return e.Ledger()
	}
	if e, ok := queue.As[interface{ Ledger() ledger.Store }](engine); ok {
		return e.Ledger()
	}
	return nil
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
