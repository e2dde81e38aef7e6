// Package open turns an engine's URL into a driver: one switch, and no registry that importing a
// package would fill.
//
//	memory:                  in this process, for trying things out
//	sqlite:PATH[?key=value]  a file; made where it is missing
//	redis://HOST:PORT/DB     a server; several HOST:PORT are those of a cluster; rediss: over TLS
//
// A password in a URL appears in no error and no log: see [Redacted].
package open

import (
	"context"
	"errors"
	"os"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/queue"
)

// Engine opens the engine that url names, making its store where that is missing. It fails with
// ErrInvalid (the URL, with every problem at once), ErrVersion (a technology that this version does not
// have), or as the driver says.
func Engine(ctx context.Context, url string) (queue.Engine, error) { return engine(ctx, url, false) }

// Existing is Engine for those who only look: where the store is missing it fails with ErrUnavailable
// and makes none.
func Existing(ctx context.Context, url string) (queue.Engine, error) { return engine(ctx, url, true) }

func engine(ctx context.Context, url string, existing bool) (queue.Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, &queue.Error{Op: "open", Subject: Redacted(url), Reason: err, Detail: "nothing was opened"}
	}
	a, err := parse(url)
	if err != nil {
		return nil, err
	}
	switch a.scheme {
	case "memory":
		cfg, err := a.memory()
		if err != nil {
			return nil, err
		}
		e, err := memory.New(cfg)
		if err != nil {
			return nil, err
		}
		return e, nil
	case "sqlite":
		path, cfg, err := a.sqlite()
		if err != nil {
			return nil, err
		}
		if existing {
			if err := present(path); err != nil {
				return nil, err
			}
		}
		e, err := sqlite.Open(path, cfg)
		if err != nil {
			return nil, err
		}
		return e, nil
	case "redis", "rediss":
		url, cfg, err := a.redis()
		if err != nil {
			return nil, err
		}
		e, err := redis.Open(ctx, url, cfg)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	return nil, a.absent("open")
}

// present fails unless there is a file at path.
func present(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return &queue.Error{Op: "open", Subject: "sqlite:" + path, Reason: queue.ErrUnavailable, Detail: "there is no such file",
			Remedy: "name another with --engine or TWICE_ENGINE; `twice migrate` makes a new one"}
	}
	return nil // any other trouble the driver names better
}

// Migrations gives the schema that this version gives the store of url, without opening it.
func Migrations(url string) ([]queue.Migration, error) {
	a, err := parse(url)
	if err != nil {
		return nil, err
	}
	switch a.scheme {
	case "memory":
		return nil, &queue.Error{Op: "migrate", Subject: "memory:", Reason: queue.ErrUnsupported, Detail: "it keeps no schema", Remedy: "name an engine with a store: sqlite:PATH"}
	case "redis", "rediss":
		if _, _, err := a.redis(); err != nil {
			return nil, err
		}
		return nil, &queue.Error{Op: "migrate", Subject: a.shown, Reason: queue.ErrUnsupported, Detail: "it keeps no schema", Remedy: "nothing is to do: each queue is made when it is first used"}
	case "sqlite":
		if _, _, err := a.sqlite(); err != nil {
			return nil, err
		}
		return sqlite.Migrations(), nil
	}
	return nil, a.absent("migrate")
}
