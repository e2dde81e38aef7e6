package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/twicehq/twice/queue"
)

// PutSchedule implements [queue.Schedules].
func (e *Engine) PutSchedule(ctx context.Context, s queue.Schedule) error {
	if err := queue.CheckName("schedule", s.Name); err != nil {
		return err
	}
	return e.write(ctx, "put schedule", phaseOther, func(t *txn) error {
		_, err := t.s.exec(`INSERT INTO twice_schedule(name, spec, zone, queue, kind, since) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, zone = excluded.zone, queue = excluded.queue, kind = excluded.kind`,
			s.Name, s.Spec, s.Zone, s.Queue, s.Kind, t.now)
		return err
	})
}

// Schedules implements [queue.Schedules].
func (e *Engine) Schedules(ctx context.Context) (all []queue.Schedule, err error) {
	err = e.read(ctx, "schedules", func(t *txn) error {
		return t.s.query("SELECT name, spec, zone, queue, kind, last, since, paused FROM twice_schedule ORDER BY name", func(r []driver.Value) error {
			all = append(all, queue.Schedule{Name: text(r[0]), Spec: text(r[1]), Zone: text(r[2]), Queue: text(r[3]), Kind: text(r[4]),
				Last: instant(number(r[5])), Since: instant(number(r[6])), Paused: number(r[7]) != 0})
			return nil
		})
	})
	return all, err
}

// Fire implements [queue.Schedules].
func (e *Engine) Fire(ctx context.Context, name string, before, due time.Time, job queue.Job) (queue.Receipt, error) {
	return written(ctx, e, "fire", phaseEnqueue, func(t *txn) (r queue.Receipt, err error) {
		last, paused := int64(-1), false
		if err := t.s.query("SELECT last, paused FROM twice_schedule WHERE name = ?", func(r []driver.Value) error {
			last, paused = number(r[0]), number(r[1]) != 0
			return nil
		}, name); err != nil {
			return r, err
		}
		refuse := func(reason error, detail string) (queue.Receipt, error) {
			return r, &queue.Error{Op: "fire", Subject: name, Reason: reason, Detail: detail}
		}
		switch {
		case last < 0:
			return refuse(queue.ErrNotFound, "there is no such schedule")
		case paused:
			return refuse(queue.ErrState, "it is paused")
		case last != millis(before):
			return refuse(queue.ErrFired, "another scheduler was quicker")
		case millis(due) <= last:
			return refuse(queue.ErrInvalid, "the instant is not after the last one")
		}
		if r, err = t.enqueueOne(job); err != nil {
			return r, err
		}
		if r.Status != queue.Accepted && r.Status != queue.Duplicate {
			return r, r.Err
		}
		_, err = t.s.exec("UPDATE twice_schedule SET last = ? WHERE name = ?", millis(due), name)
		return r, err
	})
}

// DropSchedule implements [queue.Schedules].
func (e *Engine) DropSchedule(ctx context.Context, by queue.Actor, name string) error {
	return e.changeSchedule(ctx, "drop schedule", by, name, "DELETE FROM twice_schedule WHERE name = ?")
}

// PauseSchedule implements [queue.Schedules].
func (e *Engine) PauseSchedule(ctx context.Context, by queue.Actor, name string, paused bool) error {
	if paused {
		return e.changeSchedule(ctx, "pause schedule", by, name, "UPDATE twice_schedule SET paused = 1 WHERE name = ?")
	}
	return e.changeSchedule(ctx, "resume schedule", by, name, "UPDATE twice_schedule SET paused = 0 WHERE name = ?")
}

func (e *Engine) changeSchedule(ctx context.Context, op string, by queue.Actor, name, change string) error {
	if err := by.Check(op); err != nil {
		return err
	}
	return e.write(ctx, op, phaseOther, func(t *txn) error {
		n, err := t.s.exec(change, name)
		if err != nil {
			return err
		}
		if n == 0 {
			return &queue.Error{Op: op, Subject: name, Reason: queue.ErrNotFound, Detail: "there is no such schedule"}
		}
		var queueName driver.Value
		if op != "drop schedule" {
			if queueName, err = one(t.s, "SELECT queue FROM twice_schedule WHERE name = ?", name); err != nil {
				return err
			}
		}
		return t.audit(by, op, text(queueName), queue.ID{}, name)
	})
}
