package metrics

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/queue"
)

// The statuses of receipts, and one for jobs of which nothing is known.
const (
	statuses    = int(queue.Refused) + 1
	statusError = 0
)

// enqueued is what is counted of one pair of queue and kind.
type enqueued struct{ statuses [statuses]atomic.Int64 }

// Enqueuer counts what is enqueued through q: an engine, an engine in a transaction, an outbox. In a transaction jobs
// are counted when q answers, also where it is then rolled back.
func (m *Metrics) Enqueuer(q queue.Enqueuer) queue.Enqueuer { return counted{q, m} }

type counted struct {
	queue.Enqueuer
	m *Metrics
}

// Enqueue implements [queue.Enqueuer].
func (c counted) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	receipts, err := c.Enqueuer.Enqueue(ctx, jobs...)
	for i := range jobs {
		status := queue.Status(statusError)
		if err == nil && i < len(receipts) {
			status = receipts[i].Status
		}
		c.m.Enqueued(jobs[i].Queue, jobs[i].Kind, status)
	}
	return receipts, err
}

// Enqueued counts one job that was enqueued some other way; a status that is none says that nothing is known of it.
func (m *Metrics) Enqueued(queueName, kind string, status queue.Status) {
	if int(status) >= statuses {
		status = statusError
	}
	m.enqueued.of(queueName, kind).statuses[status].Add(1)
}

// Engine gives e with everything counted that is enqueued through it, by its cron entries too. Every ability of e is
// found in it as before. What a settlement or a transaction of e enqueues goes past it: see Enqueuer.
func (m *Metrics) Engine(e queue.Engine) queue.Engine {
	engine := countedEngine{e, counted{e, m}}
	if schedules, ok := queue.As[queue.Schedules](e); ok {
		return countedSchedules{engine, schedules}
	}
	return engine
}

type countedEngine struct {
	queue.Engine
	counted counted
}

// Unwrap implements [queue.Wrapper].
func (e countedEngine) Unwrap() queue.Engine { return e.Engine }

// Enqueue implements [queue.Engine].
func (e countedEngine) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	return e.counted.Enqueue(ctx, jobs...)
}

// abilities has another name than the interface's own method.
type abilities interface{ queue.Schedules }

type countedSchedules struct {
	countedEngine
	abilities
}

var _ queue.Schedules = countedSchedules{}

// Fire implements [queue.Schedules]. A fire that failed enqueued nothing that is known.
func (e countedSchedules) Fire(ctx context.Context, name string, before, due time.Time, job queue.Job) (queue.Receipt, error) {
	receipt, err := e.abilities.Fire(ctx, name, before, due, job)
	if err == nil {
		e.counted.m.Enqueued(job.Queue, job.Kind, receipt.Status)
	}
	return receipt, err
}
