package sqlite

import (
	"database/sql/driver"
	"fmt"
	"strconv"

	"github.com/twicehq/twice/queue"
)

// loneLeased reports whether a lone job of the queue is leased, by a lease that has not run out.
func (t *txn) loneLeased(name string) (bool, error) {
	for _, l := range t.view.sorted {
		if l.queue != name {
			continue
		}
		v, err := one(t.s, "SELECT seq FROM twice_job WHERE lane = ? AND due > ? AND due IS NOT NULL AND lone = 1 AND state = 2 LIMIT 1", l.id, t.now)
		if v != nil || err != nil {
			return v != nil, err
		}
	}
	return false, nil
}

// lease takes the candidates. Those whose lease before ran out are crashes. passed is how many left the line and
// were not leased: suspects, and rows that cannot be read.
func (t *txn) lease(req queue.Claim, line []candidate, busy map[string]bool) (leases []queue.Lease, passed int, err error) {
	if len(line) == 0 {
		return nil, 0, nil
	}
	rows, passed, err := t.inLine(line)
	if err != nil {
		return nil, 0, err
	}
	until := t.now + req.TTL.Milliseconds()
	leases = make([]queue.Lease, 0, len(rows))
	var plain []candidate
	for i := range rows {
		j := &rows[i]
		if j.seq == 0 { // it was taken out
			continue
		}
		l := t.view.lanes[j.lane]
		if req.Lone {
			if busy[l.queue] {
				continue
			}
			busy[l.queue] = true
		}
		crashed := j.state == queue.Running
		if crashed {
			t.crashed(j)
		}
		j.token++
		j.freshAt = max(j.fresh(), t.now)
		if limit := req.CrashCaps[l.kind]; crashed && !req.Lone && limit >= 2 && j.counts.Crashes == limit-1 {
			// A suspect: from here on it runs alone. Its token rises, so that whoever held it is fenced.
			j.lone, j.state, j.claim, j.due, j.worker = true, queue.Queued, queue.ClaimID{}, t.now, ""
			if err := t.save(j); err != nil {
				return nil, 0, err
			}
			t.moved(l, queue.Running, queue.Queued, 1)
			t.wakes(l.laneKey)
			passed++
			continue
		}
		j.state, j.claim, j.claimed, j.worker, j.due = queue.Running, req.ID, t.now, req.Worker, until
		if crashed {
			if err := t.save(j); err != nil {
				return nil, 0, err
			}
		} else {
			plain = append(plain, candidate{seq: j.seq})
			t.moved(l, queue.Queued, queue.Running, 1)
		}
		leases = append(leases, j.leased(l))
	}
	const set = "UPDATE twice_job SET state = 2, due = ?, token = token + 1, claim = ?, claimed = ?, worker = ?, fresh_at = max(coalesce(fresh_at, 0), ?)"
	return leases, passed, t.changeBySeq(set, plain, until, req.ID[:], t.now, null(req.Worker), t.now)
}

// inLine reads the candidates' rows, in the order of the line. What cannot be read is taken out of the line: its row is
// left empty.
func (t *txn) inLine(line []candidate) (rows []job, out int, err error) {
	rows = make([]job, len(line))
	at := make(map[int64]int, len(line)) // they come by seq
	for i, c := range line {
		at[c.seq] = i
	}
	var aside, unusual []candidate
	put := func(seq int64, j job, err error) {
		if err == nil {
			rows[at[seq]] = j
			return
		}
		t.e.cfg.Logger.Error("a job cannot be read: it is kept, and taken out of the line", "seq", seq, "error", err,
			"remedy", "look at the row with sqlite3; to send it back, mend it and set its due")
		aside = append(aside, candidate{seq: seq})
	}
	err = t.bySeq("SELECT "+plainColumns+" FROM twice_job", line, func(r []driver.Value) error {
		j, plain, err := t.scanPlain(r)
		if !plain {
			unusual = append(unusual, candidate{seq: number(r[0])})
			return nil
		}
		put(number(r[0]), j, err)
		return nil
	})
	if err == nil {
		err = t.bySeq("SELECT "+jobColumns+" FROM twice_job", unusual, func(r []driver.Value) error {
			j, err := t.scan(r)
			put(number(r[0]), j, err)
			return nil
		})
	}
	if err != nil {
		return nil, 0, err
	}
	return rows, len(aside), t.changeBySeq("UPDATE twice_job SET due = NULL", aside)
}

// crashed counts a lease that was lost with no word.
func (t *txn) crashed(j *job) {
	j.counts.Crashes++
	j.err = fmt.Sprintf("the lease of attempt %d ran out with no word from %s", j.token, j.worker)
	j.attempted(attempt{N: j.token, Worker: j.worker, Start: j.claimed, End: t.now, Outcome: queue.OutcomeCrashed, Error: []byte(j.err), Alone: j.lone})
}

func (j *job) leased(l *laneRow) queue.Lease {
	return queue.Lease{
		Job: j.public(l), ID: j.lease(), Token: j.token, Ref: strconv.FormatInt(j.seq, 36), Worker: j.worker,
		DueAt: instant(j.run()), ClaimedAt: instant(j.claimed), Until: instant(j.due), FreshAt: instant(j.fresh()), Counts: j.counts, Lone: j.lone, Checkpoint: j.checkpoint,
	}
}

func refSeq(ref string) int64 {
	n, err := strconv.ParseInt(ref, 36, 64)
	if err != nil {
		return 0
	}
	return n
}
