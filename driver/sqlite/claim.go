package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/twicehq/twice/queue"
)

// Claim implements [queue.Engine].
func (e *Engine) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	if err := checkClaim(&req); err != nil {
		return nil, err
	}
	waiting := e.wake.wait(req)
	defer waiting.stop()
	deadline := time.Now().Add(req.Wait) // the caller's patience is real time, whatever clock the engine is given
	for {
		var got []queue.Lease
		var next int64
		err := e.write(ctx, "claim", phaseClaim, func(t *txn) (err error) {
			got, next, err = t.claim(req)
			return err
		})
		if err != nil {
			return nil, err
		}
		left := time.Until(deadline)
		if len(got) > 0 {
			if len(got) == req.Max { // there may be more: somebody else who waits should look
				waiting.passOn()
			}
			return got, nil
		}
		if left <= 0 {
			return nil, nil
		}
		// Look again when the next job is due, and often enough that the engine knows that it could serve.
		pause := min(left, touchEvery(req.TTL))
		if next > 0 {
			pause = min(pause, max(time.Millisecond, time.Duration(next-e.clock.now())*time.Millisecond))
		}
		got, err = waiting.sleep(ctx, pause, func() bool { return e.due(ctx, req) })
		if len(got) > 0 {
			return got, nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil // nothing was claimed: the caller gave up waiting
			}
			return nil, e.closed("claim")
		}
	}
}

// touchEvery is how often somebody who waits writes the clock.
func touchEvery(ttl time.Duration) time.Duration { return min(5*time.Second, ttl/3) }

func checkClaim(req *queue.Claim) error {
	var detail string
	switch {
	case req.ID == queue.ClaimID{}:
		detail = "it has no id"
	case len(req.Queues) == 0 || len(req.Kinds) == 0:
		detail = "it names no queue or no kind"
	case len(req.Queues) > 1000 || len(req.Kinds) > 1000:
		detail = "it names more than 1000 queues or kinds"
	case req.Max < 1 || req.Max > maxBatch:
		detail = fmt.Sprintf("Max is %d, not 1 to %d", req.Max, maxBatch)
	case req.TTL < queue.Resolution || req.TTL > 24*time.Hour:
		detail = fmt.Sprintf("TTL is %s, not 1ms to 24h", req.TTL)
	case req.Wait < 0:
		detail = fmt.Sprintf("Wait is %s", req.Wait)
	default:
		return nil
	}
	return &queue.Error{Op: "claim", Subject: req.Worker, Reason: queue.ErrInvalid, Detail: detail}
}

// wanted gives the lanes that a claim asks for, highest priority first.
func (t *txn) wanted(req queue.Claim) []*laneRow {
	var lanes []*laneRow
	for _, l := range t.view.sorted {
		if !l.q.paused && slices.Contains(req.Queues, l.queue) && slices.Contains(req.Kinds, l.kind) {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// due reports, without holding anybody up, whether a claim would find something.
func (e *Engine) due(ctx context.Context, req queue.Claim) (found bool) {
	err := e.read(ctx, "look", func(t *txn) error {
		lanes, err := t.free(req, t.wanted(req))
		if err != nil {
			return err
		}
		for _, l := range lanes {
			v, err := one(t.s, pick(req.Lone, "seq"), l.id, t.now, int64(1))
			if found = v != nil; found || err != nil {
				return err
			}
		}
		return nil
	})
	return found && err == nil // else the next regular look will say what is wrong
}

// free leaves out, for a lone claim, the queues that have a lone job leased.
func (t *txn) free(req queue.Claim, lanes []*laneRow) (free []*laneRow, err error) {
	if !req.Lone {
		return lanes, nil
	}
	busy := map[string]bool{}
	for _, l := range lanes {
		is, known := busy[l.queue]
		if !known {
			if is, err = t.loneLeased(l.queue); err != nil {
				return nil, err
			}
			busy[l.queue] = is
		}
		if !is {
			free = append(free, l)
		}
	}
	return free, nil
}

// pick selects what of a lane is due: of the lane, now, at most so many.
func pick(lone bool, columns string) string {
	n := "0"
	if lone {
		n = "1"
	}
	return "SELECT " + columns + " FROM twice_job WHERE lane = ? AND due <= ? AND due IS NOT NULL AND lone = " + n + " ORDER BY due LIMIT ?"
}

var (
	pickCompany = pick(false, "seq, due")
	pickLone    = pick(true, "seq, due")
)

type candidate struct{ seq, due int64 }

// claim leases what is due. next is when something will be: 0 where nothing is known of.
func (t *txn) claim(req queue.Claim) (leases []queue.Lease, next int64, err error) {
	if err := t.flush(); err != nil {
		return nil, 0, err
	}
	if seqs, ok := t.e.claims.repeated(req.ID); ok {
		leases, err = t.sameAgain(req, seqs)
		return leases, 0, err
	}
	if err := t.grace(req); err != nil {
		return nil, 0, err
	}
	asked := t.wanted(req)
	lanes, err := t.free(req, asked)
	if err != nil {
		return nil, 0, err
	}
	query := pickCompany
	if req.Lone {
		query = pickLone
	}
	busy := map[string]bool{} // queues of which this claim leases a lone job
	for at := 0; at < len(lanes) && len(leases) < req.Max; {
		// Lanes of one priority are one line: whoever has been due longest goes first.
		same := at + 1
		for same < len(lanes) && lanes[same].priority == lanes[at].priority {
			same++
		}
		var line []candidate
		for _, l := range lanes[at:same] {
			err = t.s.query(query, func(r []driver.Value) error {
				line = append(line, candidate{number(r[0]), number(r[1])})
				return nil
			}, l.id, t.now, int64(req.Max-len(leases)))
			if err != nil {
				return nil, 0, err
			}
		}
		slices.SortFunc(line, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq)) })
		line = line[:min(len(line), req.Max-len(leases))]
		got, passed, err := t.lease(req, line, busy)
		if err != nil {
			return nil, 0, err
		}
		if leases == nil {
			leases = got
		} else {
			leases = append(leases, got...)
		}
		if passed == 0 { // else look again: others may stand behind those that left the line
			at = same
		}
	}
	if len(leases) > 0 {
		t.granted(req, leases)
		return leases, 0, nil
	}
	if err := t.touch(touchEvery(req.TTL).Milliseconds()); err != nil {
		return nil, 0, err
	}
	next, err = t.nextDue(asked, req.Lone)
	return nil, next, err
}

// nextDue is when one of the lanes may have something: nothing that is due now could be leased.
func (t *txn) nextDue(lanes []*laneRow, lone bool) (next int64, err error) {
	n := "0"
	if lone {
		n = "1"
	}
	for _, l := range lanes {
		v, err := one(t.s, "SELECT due FROM twice_job WHERE lane = ? AND due > ? AND due IS NOT NULL AND lone = "+n+" ORDER BY due LIMIT 1", l.id, t.now)
		if err != nil {
			return 0, err
		}
		if due := number(v); due > 0 && (next == 0 || due < next) {
			next = due
		}
	}
	return next, nil
}

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

// grace gives every lease that ran out while the engine served nobody one more ttl: their holders may live.
func (t *txn) grace(req queue.Claim) error {
	served := t.engine.clock
	if served == 0 || t.now-served < req.TTL.Milliseconds() {
		return nil
	}
	if served == t.engine.spared { // since they were spared nobody has asked for anything: that is no fault of the engine
		return nil
	}
	var spared int64
	for _, l := range t.view.sorted {
		for _, lone := range []string{"0", "1"} {
			n, err := t.s.exec("UPDATE twice_job SET due = ? WHERE lane = ? AND due > ? AND due <= ? AND due IS NOT NULL AND lone = "+lone+" AND state = 2",
				t.now+req.TTL.Milliseconds(), l.id, served, t.now)
			if err != nil {
				return err
			}
			spared += n
		}
	}
	if spared > 0 {
		t.e.cfg.Logger.Warn("the file took no write for a while: leases that ran out meanwhile get one more", "leases", spared, "silence", time.Duration(t.now-served)*time.Millisecond)
		t.engine.spared = t.now
		if _, err := t.s.exec("UPDATE twice_engine SET spared = ?", t.now); err != nil {
			return err
		}
	}
	return t.touch(0)
}

// sameAgain answers a claim that was answered before: with those of its leases that are still held.
func (t *txn) sameAgain(req queue.Claim, seqs []candidate) (leases []queue.Lease, err error) {
	err = t.bySeq("SELECT "+jobColumns+" FROM twice_job", seqs, func(r []driver.Value) error {
		if claimOf(r[13]) != req.ID || queue.State(number(r[3])) != queue.Running {
			return nil
		}
		j, err := t.scan(r)
		if err != nil {
			t.e.cfg.Logger.Error("a leased job cannot be read: its claim is answered again without it", "seq", number(r[0]), "error", err)
			return nil
		}
		leases = append(leases, j.leased(t.view.lanes[j.lane]))
		return nil
	})
	return leases, err
}
