package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// Enqueue implements [queue.Engine].
func (e *Engine) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if err := batch("enqueue", len(jobs)); err != nil {
		return nil, err
	}
	var receipts []queue.Receipt
	err := e.write(ctx, "enqueue", phaseEnqueue, func(t *txn) (err error) {
		receipts = nil // where the caller has given up, nobody reads it
		receipts, err = t.enqueue(jobs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}

func batch(op string, n int) error {
	if n > maxBatch {
		return &queue.Error{Op: op, Subject: fmt.Sprintf("batch of %d", n), Reason: queue.ErrTooLarge,
			Detail: fmt.Sprintf("the limit is %d", maxBatch), Remedy: "split it"}
	}
	return nil
}

func (t *txn) enqueue(jobs []queue.Job) ([]queue.Receipt, error) {
	receipts := make([]queue.Receipt, len(jobs))
	for i, j := range jobs {
		r, err := t.enqueueOne(j)
		if err != nil {
			return nil, err
		}
		receipts[i] = r
	}
	return receipts, nil
}

func (t *txn) enqueueOne(in queue.Job) (queue.Receipt, error) {
	in, err := in.Prepared(t.e.cfg.MaxPayload, instant(t.now))
	if err != nil {
		return queue.Receipt{ID: in.ID, Status: queue.Refused, Err: err}, nil
	}
	h, err := t.known(in.ID)
	if unreadable(err) {
		return queue.Receipt{ID: in.ID, Status: queue.Refused, Err: err}, nil
	}
	if err != nil {
		return queue.Receipt{}, err
	}
	refusal := t.ahead(in)
	if refusal == nil && !h.none() {
		return t.repeated(in, h)
	}
	origin := millis(in.Origin)
	if refusal == nil {
		refusal = t.marked(in)
	}
	if refusal != nil {
		return queue.Receipt{ID: in.ID, Status: queue.Refused, Err: refusal}, nil
	}
	l, err := t.laneOf(laneKey{in.Queue, in.Kind, in.Priority})
	if err != nil {
		return queue.Receipt{}, err
	}
	j := job{
		seq: t.next, id: in.ID, lane: l.id, state: queue.Queued, due: max(t.now, millis(in.RunAt)), token: l.q.floor, created: t.now,
		fingerprint: in.Fingerprint, key: in.Key, payload: in.Payload,
		origin: origin, deadline: millis(in.Deadline), timeout: in.Timeout.Milliseconds(), keepFor: in.KeepFor.Milliseconds(),
		group: in.Group, unique: in.Unique, parent: in.Parent, headers: in.Headers,
	}
	if j.due > t.now {
		j.runAt = j.due
	} else {
		t.wakes(l.laneKey)
	}
	if origin > j.due {
		j.freshAt = origin
	}
	t.next++
	if t.fresh == nil {
		t.fresh = map[queue.ID]int64{}
	}
	t.fresh[j.id] = j.seq
	t.pending = append(t.pending, j)
	t.count(l.q.id).accepted++
	t.moved(l, 0, queue.Queued, 1)
	return queue.Receipt{ID: in.ID, Status: queue.Accepted, GuardedUntil: t.guarded(in, j.fresh())}, nil
}

// known is find, seeing rows not flushed yet.
func (t *txn) known(id queue.ID) (holder, error) {
	if _, ok := t.fresh[id]; ok {
		if err := t.flush(); err != nil {
			return holder{}, err
		}
		j, found, err := t.jobAt(t.fresh[id], id)
		if err != nil || found {
			return holder{job: &j}, err
		}
	}
	return t.find(id)
}

// guarded is until when a repeat cannot run again; with an origin, for ever: zero.
func (t *txn) guarded(in queue.Job, fresh int64) time.Time {
	if !in.Origin.IsZero() {
		return time.Time{}
	}
	return instant(fresh).Add(t.e.cfg.KeepFor)
}

// ahead refuses an origin that no clock can have given, whether the id is known or not: a duplicate that did not raise
// fresh_at would be taken for new once its job is forgotten.
func (t *txn) ahead(in queue.Job) error {
	if origin := millis(in.Origin); origin > t.now+queue.MaxOriginAhead.Milliseconds() {
		return originRefused(in, fmt.Sprintf("its origin is %s ahead of the engine's clock", time.Duration(origin-t.now)*time.Millisecond), "set the producer's clock")
	}
	return nil
}

// marked refuses an origin at or before the mark.
func (t *txn) marked(in queue.Job) error {
	if mark := t.engine.mark; !in.Origin.IsZero() && millis(in.Origin) <= mark {
		return originRefused(in, fmt.Sprintf("its origin %s is at or before the mark %s: what it did may be forgotten", in.Origin.Format(time.RFC3339), instant(mark).Format(time.RFC3339)),
			"find out whether it was done; if it was not, send it as a new request")
	}
	return nil
}

func originRefused(in queue.Job, detail, remedy string) error {
	return &queue.Error{Op: "enqueue", Subject: in.Kind + "/" + in.ID.String(), Reason: queue.ErrRefused, Detail: detail, Remedy: remedy}
}

// repeated answers a request whose id is known.
func (t *txn) repeated(in queue.Job, h holder) (queue.Receipt, error) {
	r := queue.Receipt{ID: in.ID, Status: queue.Duplicate, Holder: in.ID}
	var fingerprint uint64
	var fresh int64
	if j := h.job; j != nil {
		r.HolderState, r.HolderRunAt = j.state, instant(j.run())
		fingerprint, fresh = j.fingerprint, j.fresh()
	} else {
		e := h.ended
		r.HolderState, r.HolderRunAt = queue.Done, instant(max(e.created, e.runAt))
		fingerprint, fresh = e.fingerprint, max(e.freshAt, e.created)
	}
	if fingerprint != in.Fingerprint {
		r.Status = queue.Conflict
		r.Err = &queue.Error{Op: "enqueue", Subject: in.Kind + "/" + in.ID.String(), Reason: queue.ErrConflict,
			Detail: fmt.Sprintf("the id is held by a job with other content, which is %s", r.HolderState), Remedy: "use another key, or the same content"}
		return r, nil
	}
	if origin := millis(in.Origin); origin > fresh {
		fresh = origin
		table, seq := "twice_job", int64(0)
		if h.job != nil {
			seq = h.job.seq
		} else {
			table, seq = "twice_ended", h.ended.seq
		}
		if _, err := t.s.exec("UPDATE "+table+" SET fresh_at = ? WHERE seq = ?", origin, seq); err != nil {
			return r, err
		}
	}
	r.GuardedUntil = t.guarded(in, fresh)
	return r, nil
}

const insertJob = `INSERT INTO twice_job(seq, id, lane, state, due, token, created, fingerprint, key, payload) VALUES `
const insertTuple = "(?,?,?,1,?,?,?,?,?,?)"

// Rows share a statement: 50 at a time, then 10, then one.
var insertMany = map[int]string{
	50: insertJob + insertTuple + strings.Repeat(","+insertTuple, 49),
	10: insertJob + insertTuple + strings.Repeat(","+insertTuple, 9),
	1:  insertJob + insertTuple,
}

// flush inserts the rows that wait.
func (t *txn) flush() error {
	rows := t.pending
	t.pending = t.pending[:0]
	args := make([]driver.Value, 0, 9*50)
	for len(rows) > 0 {
		n := 1
		switch {
		case len(rows) >= 50:
			n = 50
		case len(rows) >= 10:
			n = 10
		}
		args = args[:0]
		for i := range rows[:n] {
			j := &rows[i]
			payload := j.payload
			if payload == nil {
				payload = []byte{}
			}
			args = append(args, j.seq, j.id[:], j.lane, j.due, j.token, j.created, int64(j.fingerprint), []byte(j.key), payload)
		}
		if _, err := t.s.exec(insertMany[n], args...); err != nil {
			return err
		}
		for i := range rows[:n] {
			if err := t.insertRare(&rows[i]); err != nil {
				return err
			}
		}
		rows = rows[n:]
	}
	return nil
}

// insertRare adds what most jobs do not have.
func (t *txn) insertRare(j *job) error {
	if j.runAt|j.freshAt|j.origin|j.deadline|j.timeout|j.keepFor == 0 && j.group == "" && j.unique == "" && j.parent.IsZero() && len(j.headers) == 0 {
		return nil
	}
	var headers, parent driver.Value
	if len(j.headers) > 0 {
		b, err := json.Marshal(pairsOf(j.headers))
		if err != nil {
			return err
		}
		headers = string(b)
	}
	if !j.parent.IsZero() {
		parent = j.parent[:]
	}
	_, err := t.s.exec(`UPDATE twice_job SET run_at = ?, fresh_at = ?, origin = ?, deadline = ?, timeout = ?, keep_for = ?, grp = ?, uniq = ?, parent = ?, headers = ? WHERE seq = ?`,
		null(j.runAt), null(j.freshAt), null(j.origin), null(j.deadline), null(j.timeout), null(j.keepFor), null(j.group), nullText(j.unique), parent, headers, j.seq)
	return err
}
