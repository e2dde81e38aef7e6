package monitor

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/queue"
)

// Schedules observes schedulers of this process: one instant of an entry makes one job.
func (m *Monitor) Schedules() cron.Observer {
	return cron.ObserverFunc(func(_ context.Context, e cron.Event) {
		if e.What == cron.Fired && !e.Receipt.ID.IsZero() {
			m.note(func() []Finding { return m.fire(e.Entry, e.Due, e.Receipt) })
		}
	})
}

func (m *Monitor) fire(entry string, due time.Time, r queue.Receipt) []Finding {
	first := m.fires.of(entry + " " + due.UTC().Format(time.RFC3339Nano))
	switch {
	case *first == queue.ID{}:
		*first = r.ID
	case *first != r.ID:
		return []Finding{{Invariant: Effect, Job: r.ID, Says: fmt.Sprintf("schedule %q made a second job for %s; the first is %s", entry, due.UTC().Format(time.RFC3339), *first)}}
	case r.Status == queue.Accepted:
		return []Finding{{Invariant: Effect, Job: r.ID, Says: fmt.Sprintf("schedule %q was accepted twice for %s", entry, due.UTC().Format(time.RFC3339))}}
	}
	return nil
}
