package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"

	"github.com/twicehq/twice/queue"
)

// Job implements [queue.Inspector].
func (e *Engine) Job(ctx context.Context, id queue.ID) (r queue.Record, err error) {
	err = e.read(ctx, "job", func(t *txn) error {
		h, err := t.find(id)
		switch {
		case err != nil:
			return err
		case h.job != nil:
			r = t.record(h.job)
		case h.ended != nil:
			r = t.remains(h.ended)
		default:
			return notFound("job", id)
		}
		return nil
	})
	return r, err
}

func (t *txn) record(j *job) queue.Record {
	r := queue.Record{
		Job: j.public(t.view.lanes[j.lane]), State: j.state, Whole: true, Counts: j.counts, Token: j.token, Lone: j.lone,
		EnqueuedAt: instant(j.created), RunAt: instant(j.run()), Worker: j.worker, ClaimedAt: instant(j.claimed), EndedAt: instant(j.ended),
		FreshAt: instant(j.fresh()), Reason: j.reason, Error: j.err, Result: j.result, Checkpoint: j.checkpoint, Effects: j.effects,
		AttemptsDropped: int(j.dropped),
	}
	if j.state == queue.Running {
		r.LeaseUntil = instant(j.due)
	}
	for _, a := range j.attempts {
		r.Attempts = append(r.Attempts, queue.Attempt{N: a.N, Worker: a.Worker, Start: instant(a.Start), End: instant(a.End),
			Outcome: a.Outcome, Error: string(a.Error), Alone: a.Alone})
	}
	return r
}

func (t *txn) remains(e *ended) queue.Record {
	l := t.view.lanes[e.lane]
	if l == nil {
		l = &laneRow{}
	}
	return queue.Record{
		Job:   queue.Job{ID: e.id, Queue: l.queue, Kind: l.kind, Priority: l.priority, Fingerprint: e.fingerprint, RunAt: instant(max(e.runAt, e.created))},
		State: queue.Done, Token: e.token, EnqueuedAt: instant(e.created), RunAt: instant(max(e.runAt, e.created)), EndedAt: instant(e.end),
		FreshAt: instant(max(e.freshAt, e.created)),
	}
}

// List implements [queue.Inspector]: newest first by enqueue.
func (e *Engine) List(ctx context.Context, q queue.Query) (page queue.Page, err error) {
	limit := cmp.Or(q.Limit, 100)
	if limit < 1 || limit > queue.MaxPage {
		return page, &queue.Error{Op: "list", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("the limit is %d, not 1 to %d", q.Limit, queue.MaxPage)}
	}
	before := int64(1<<63 - 1)
	if q.Cursor != "" {
		if before, err = strconv.ParseInt(q.Cursor, 36, 64); err != nil || before < 1 {
			return page, &queue.Error{Op: "list", Subject: fmt.Sprintf("%.40q", q.Cursor), Reason: queue.ErrInvalid, Detail: "no such cursor", Remedy: "use the one that the page before gave"}
		}
	}
	err = e.read(ctx, "list", func(t *txn) error {
		lanes := []candidate{}
		for _, l := range t.view.sorted {
			if (q.Queue == "" || q.Queue == l.queue) && (q.Kind == "" || q.Kind == l.kind) {
				lanes = append(lanes, candidate{seq: l.id})
			}
		}
		if len(lanes) == 0 {
			return nil
		}
		type found struct {
			seq    int64
			record queue.Record
		}
		var all []found
		const where = " WHERE seq < ? AND lane IN (SELECT value FROM json_each(?))"
		args := []driver.Value{before, list(lanes)}
		if q.State != queue.Done || q.Reason == "" {
			more := ""
			if q.State != 0 {
				more += " AND state = " + strconv.Itoa(int(q.State))
			}
			jobArgs := args
			if q.Reason != "" {
				more += " AND reason = ?"
				jobArgs = append(slices.Clone(args), string(q.Reason))
			}
			err := t.s.query("SELECT "+jobColumns+" FROM twice_job"+where+more+" ORDER BY seq DESC LIMIT "+strconv.Itoa(limit), func(r []driver.Value) error {
				j, err := t.scan(r)
				if err != nil { // it is listed with what can be read of it
					j.err = err.Error()
				}
				all = append(all, found{j.seq, t.record(&j)})
				return nil
			}, jobArgs...)
			if err != nil {
				return err
			}
		}
		if q.Reason == "" && (q.State == 0 || q.State == queue.Done) {
			err := t.s.query("SELECT "+endedColumns+" FROM twice_ended"+where+" ORDER BY seq DESC LIMIT "+strconv.Itoa(limit), func(r []driver.Value) error {
				e := scanEnded(r)
				all = append(all, found{e.seq, t.remains(&e)})
				return nil
			}, args...)
			if err != nil {
				return err
			}
		}
		slices.SortFunc(all, func(a, b found) int { return cmp.Compare(b.seq, a.seq) })
		for _, f := range all[:min(len(all), limit)] {
			page.Records = append(page.Records, f.record)
			page.Next = strconv.FormatInt(f.seq, 36)
		}
		if len(all) < limit {
			page.Next = ""
		}
		return nil
	})
	return page, err
}

// Depths implements [queue.Inspector].
func (e *Engine) Depths(ctx context.Context, queues ...string) (all []queue.Depth, err error) {
	err = e.read(ctx, "depths", func(t *txn) error {
		sums, err := readTally(t.s)
		if err != nil {
			return err
		}
		for _, q := range t.view.queues {
			if len(queues) > 0 && !slices.Contains(queues, q.name) {
				continue
			}
			c := sums[q.id]
			d := queue.Depth{Queue: q.name, Accepted: c.accepted, Queued: c.queued, Running: c.running, Done: c.done, Dead: c.dead,
				Cancelled: c.cancelled, Pruned: c.pruned, AsOf: instant(t.now), Paused: q.paused}
			if err := t.look(q, &d); err != nil {
				return err
			}
			all = append(all, d)
		}
		slices.SortFunc(all, func(a, b queue.Depth) int { return cmp.Compare(a.Queue, b.Queue) })
		return nil
	})
	return all, err
}

// look counts what depends on the moment, up to a bound.
func (t *txn) look(q *queueRow, d *queue.Depth) error {
	var oldest int64
	for _, l := range t.view.sorted {
		if l.q != q {
			continue
		}
		for _, lone := range []string{"0", "1"} {
			indexed := " FROM twice_job WHERE lane = ? AND due IS NOT NULL AND lone = " + lone
			// The index has lane and due; the state needs the row, so queued and running are told apart only among the due.
			rows := " (SELECT state" + indexed + " AND due <= ? ORDER BY due LIMIT " + strconv.Itoa(queue.MaxSeen+1) + ")"
			err := t.s.query("SELECT sum(state = 1), sum(state = 2) FROM"+rows, func(r []driver.Value) error {
				d.Ready.N += int(number(r[0]))
				d.Expired.N += int(number(r[1]))
				return nil
			}, l.id, t.now)
			if err != nil {
				return err
			}
			v, err := one(t.s, "SELECT due"+indexed+" AND due <= ? AND state = 1 ORDER BY due LIMIT 1", l.id, t.now)
			if err != nil {
				return err
			}
			if due := number(v); due > 0 && (oldest == 0 || due < oldest) {
				oldest = due
			}
		}
	}
	d.OldestDue = instant(oldest)
	for _, s := range []*queue.Seen{&d.Ready, &d.Expired} {
		if s.N > queue.MaxSeen {
			*s = queue.Seen{N: queue.MaxSeen, More: true}
		}
	}
	// Where everything that is due was counted, the rest of the queued wait.
	switch waiting := d.Queued - int64(d.Ready.N); {
	case d.Ready.More || d.Expired.More || waiting > queue.MaxSeen:
		d.Waiting = queue.Seen{N: int(min(max(0, waiting), queue.MaxSeen)), More: waiting > 0}
	default:
		d.Waiting.N = int(max(0, waiting))
	}
	return nil
}
