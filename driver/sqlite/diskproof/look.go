package diskproof

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/driver/sqlite/internal/rig"
	"github.com/twicehq/twice/queue"
)

const year = 24 * 365 * time.Hour

// look opens what a cut left and counts the jobs of which something had been told and is not there. Whatever was lost, the
// rest must be whole.
func look(ctx context.Context, path string, told map[string]told, f *findings) (lost int) {
	// The engine's own SQLite knows nothing of the disk; the look need not be durable. It comes after all that the life saw.
	e, err := sqlite.OpenRigged(path, sqlite.Config{UniqueFor: 10 * year, Logger: silent, Now: func() time.Time { return time.Now().Add(year) }},
		rig.Rig{Pragmas: []string{"synchronous(OFF)"}})
	if err != nil {
		f.broke("open after the cut: %v", err)
		return 1
	}
	defer func() {
		if err := errors.Join(err, e.Close()); err != nil && ctx.Err() == nil {
			f.broke("after the cut: %v", err)
		}
	}()
	var sound string
	if err = e.DB().QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&sound); err != nil {
		return 0
	}
	if sound != "ok" {
		f.broke("after the cut: %s", sound)
	}
	books, err := balanced(ctx, e, f)
	if err != nil {
		return 0
	}
	all, err := everything(ctx, e, f)
	if err != nil {
		return 0
	}
	var again []queue.Job
	for key, fact := range told {
		r, found := all[idOf(key)]
		pruned := !found && fact.finish && books.Pruned > 0
		switch {
		case pruned, !fact.accepted && !found:
		case !found, fact.denied(r):
			lost++
		default:
			again = append(again, named(key))
		}
	}
	receipts, err := e.Enqueue(ctx, again...)
	if err != nil {
		return lost
	}
	for i, r := range receipts {
		key := again[i].Key
		if there := all[idOf(key)].State; r.Status != queue.Duplicate || r.HolderState != there {
			f.broke("%s is there, %s, and was enqueued again: %s, %s", key, there, r.Status, r.HolderState)
		}
	}
	// Leases told or not run out a year later: the first claim gives them one more ttl.
	if err = drain(ctx, e); err == nil {
		_, err = balanced(ctx, e, f)
	}
	return lost
}
