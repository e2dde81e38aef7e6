package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
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
