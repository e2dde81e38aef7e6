package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"time"

	"github.com/twicehq/twice/queue"
)

// Announce implements [queue.Presence].
func (e *Engine) Announce(ctx context.Context, w queue.Worker, ttl time.Duration) error {
	if err := w.Check(ttl); err != nil {
		return err
	}
	return e.write(ctx, "announce", phaseOther, func(t *txn) error {
		w.SeenAt, w.Silent = instant(t.now), false
		about, err := json.Marshal(w)
		if err != nil {
			return err
		}
		if _, err := t.s.exec("INSERT INTO twice_worker(name, seen, until, about) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET seen = excluded.seen, until = excluded.until, about = excluded.about",
			w.Name, t.now, t.now+ttl.Milliseconds(), string(about)); err != nil {
			return err
		}
		if _, err := t.s.exec("DELETE FROM twice_worker WHERE until + (until - seen) < ?", t.now); err != nil {
			return err
		}
		return t.touch(1000)
	})
}

// Withdraw implements [queue.Presence].
func (e *Engine) Withdraw(ctx context.Context, name string) error {
	return e.write(ctx, "withdraw", phaseOther, func(t *txn) error {
		_, err := t.s.exec("DELETE FROM twice_worker WHERE name = ?", name)
		return err
	})
}

// Workers implements [queue.Presence].
func (e *Engine) Workers(ctx context.Context) (all []queue.Worker, err error) {
	err = e.read(ctx, "workers", func(t *txn) error {
		return t.s.query("SELECT about, until FROM twice_worker WHERE until + (until - seen) >= ? ORDER BY name", func(r []driver.Value) error {
			var w queue.Worker
			if err := json.Unmarshal([]byte(text(r[0])), &w); err != nil {
				return damaged("worker", 0, err)
			}
			w.Silent = number(r[1]) < t.now
			all = append(all, w)
			return nil
		}, t.now)
	})
	return all, err
}
