package redis

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Enqueue implements [queue.Enqueuer]. Jobs that others enqueue at the same time go with them.
func (e *Engine) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if err := fits("enqueue", len(jobs)); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "enqueue"); err != nil {
		return nil, err
	}
	receipts := make([]queue.Receipt, len(jobs))
	now := e.about()
	ready := make([]prepared, 0, len(jobs))
	at := make([]int, 0, len(jobs)) // of jobs, those that are ready
	for i, j := range jobs {
		j, err := j.Prepared(e.cfg.MaxPayload, now)
		if err != nil {
			receipts[i] = queue.Receipt{ID: j.ID, Status: queue.Refused, Err: err}
			continue
		}
		ready, at = append(ready, prepare(j)), append(at, i)
	}
	if len(ready) == 0 {
		return receipts, nil
	}
	if !slices.ContainsFunc(ready, func(p prepared) bool { return p.job.Queue != ready[0].job.Queue }) {
		got, err := e.groups.enqueue(ctx, ready[0].job.Queue, ready)
		if err != nil {
			return nil, translated("enqueue", err)
		}
		for n, i := range at {
			receipts[i] = got[n]
		}
		return receipts, nil
	}
	return e.enqueueEach(ctx, ready, at, receipts)
}

// enqueueEach stores jobs of several queues, side by side.
func (e *Engine) enqueueEach(ctx context.Context, ready []prepared, at []int, receipts []queue.Receipt) ([]queue.Receipt, error) {
	names, of := byQueue(ready, func(p prepared) string { return p.job.Queue })
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for k, name := range names {
		all.Go(func() {
			own := make([]prepared, len(of[name]))
			for n, i := range of[name] {
				own[n] = ready[i]
			}
			got, err := e.groups.enqueue(ctx, name, own)
			if errs[k] = err; err != nil {
				return
			}
			for n, i := range of[name] {
				receipts[at[i]] = got[n]
			}
		})
	}
	all.Wait()
	failed := 0
	for _, err := range errs {
		if err != nil {
			failed++
		}
	}
	switch err := cmp.Or(errs...); {
	case failed == 0:
		return receipts, nil
	case failed < len(errs):
		return nil, inPart(err)
	default:
		return nil, translated("enqueue", err)
	}
}

func prepare(j queue.Job) prepared {
	return prepared{id: j.ID, lane: laneKey{j.Kind, j.Priority}, run: milli(j.RunAt), origin: milli(j.Origin), tail: tailOf(&j), job: &j}
}

// about is the time as this process has it: only to tell absurd times, which the server's clock need not.
func (e *Engine) about() time.Time {
	if e.cfg.Now != nil {
		return e.cfg.Now()
	}
	return time.Now()
}

// packed gives a job as the script that enqueues has it: in one argument.
func (p *prepared) packed(lane int) string {
	b := make([]byte, 0, 30+len(p.tail))
	b = append(b, p.id[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(lane))
	var eight [8]byte
	for _, n := range []int64{p.run, p.origin} {
		binary.BigEndian.PutUint64(eight[:], uint64(max(0, n)))
		b = append(b, eight[2:]...)
	}
	return rueidis.BinaryString(append(b, p.tail...))
}

// args gives a job's arguments for the other scripts.
func (p *prepared) args(l *line) []string {
	return []string{rueidis.BinaryString(p.id[:]), digits(l.lanes[p.lane]), digits(p.run), digits(p.origin), rueidis.BinaryString(p.tail)}
}

// lanesOf gives the lanes that jobs need.
func lanesOf(jobs []prepared) []laneKey {
	var need []laneKey
	for i := range jobs {
		if k := jobs[i].lane; (i == 0 || k != jobs[i-1].lane) && !slices.Contains(need, k) {
			need = append(need, k)
		}
	}
	return need
}

// store enqueues jobs of one queue by one script. Where ids may be known to other queues, it asks those, too: in the
// same script, or in a cluster, where they are on other nodes, before it.
func (e *Engine) store(ctx context.Context, name string, jobs []prepared) ([]queue.Receipt, error) {
	receipts := make([]queue.Receipt, len(jobs))
	open := make([]int, len(jobs)) // those that have no receipt yet
	for i := range jobs {
		open[i] = i
	}
	need := lanesOf(jobs)
	for range staleAtMost {
		l, err := e.line(ctx, name, true, need...)
		if err != nil {
			return nil, err
		}
		lines := []*line{l}
		for _, other := range l.also {
			o, err := e.line(ctx, other, false)
			if err == nil && o != nil && e.server.Cluster {
				open, err = e.known(ctx, o, jobs, open, receipts)
			} else if o != nil {
				lines = append(lines, o)
			}
			if err != nil {
				return nil, err
			}
		}
		if len(open) == 0 {
			return receipts, nil
		}
		args := make([]string, 0, len(open))
		for _, i := range open {
			args = append(args, jobs[i].packed(l.lanes[jobs[i].lane]))
		}
		calls := []call{e.joint(enqueueScript, lines, args...)}
		sleeper := e.wake.sleeper(name, need)
		if sleeper != nil {
			calls = append(calls, e.claiming(sleeper, l))
		}
		results := e.run(ctx, calls...)
		if sleeper != nil {
			e.handOver(sleeper, l, results[1])
		}
		answer, err := results[0].AsBytes()
		if err != nil {
			return nil, err
		}
		if string(answer) != stale {
			r := reader{b: answer}
			now, mark := r.uint(6), r.uint(6)
			for _, i := range open {
				receipts[i] = e.receipt(&jobs[i], &r, now, mark)
			}
			if r.short {
				return nil, errShort
			}
			return receipts, nil
		}
		for _, l := range lines {
			if _, err := e.reload(ctx, l.name, l.name == name, needOf(l.name == name, need)...); err != nil {
				return nil, err
			}
		}
	}
	return nil, errUnsteady(name)
}

// known enqueues those of the open jobs whose ids another queue knows, into that queue, which changes nothing there
// but how fresh they are. It gives those that it does not know.
func (e *Engine) known(ctx context.Context, o *line, jobs []prepared, open []int, receipts []queue.Receipt) (unknown []int, err error) {
	if len(open) == 0 {
		return nil, nil
	}
	ids := make([]string, len(open))
	for n, i := range open {
		ids[n] = rueidis.BinaryString(jobs[i].id[:])
	}
	found, err := e.client.Do(ctx, e.client.B().Hmget().Key(e.key(o.name, "j")).Field(ids...).Build()).ToArray()
	if err != nil {
		return nil, err
	}
	var there []int
	for n, i := range open {
		if found[n].IsNil() {
			unknown = append(unknown, i)
		} else {
			there = append(there, i)
		}
	}
	if len(there) == 0 {
		return unknown, nil
	}
	for range staleAtMost {
		var args []string
		for _, i := range there {
			args = append(args, jobs[i].packed(0)) // no lane: it is not to be stored there
		}
		answer, err := e.run(ctx, e.joint(enqueueScript, []*line{o}, args...))[0].AsBytes()
		if err != nil {
			return nil, err
		}
		if string(answer) == stale {
			if o, err = e.reload(ctx, o.name, false); err != nil || o == nil {
				return append(unknown, there...), err
			}
			continue
		}
		r := reader{b: answer}
		now, mark := r.uint(6), r.uint(6)
		for _, i := range there {
			if len(r.b) > 0 && r.b[0] == 'Z' { // it has left meanwhile
				r.take(1)
				unknown = append(unknown, i)
				continue
			}
			receipts[i] = e.receipt(&jobs[i], &r, now, mark)
		}
		if r.short {
			return nil, errShort
		}
		slices.Sort(unknown) // the order of what is stored is the caller's
		return unknown, nil
	}
	return nil, errUnsteady(o.name)
}

func needOf(own bool, need []laneKey) []laneKey {
	if own {
		return need
	}
	return nil
}

// receipt reads what the script says of one job.
func (e *Engine) receipt(p *prepared, r *reader, now, mark int64) queue.Receipt {
	receipt := queue.Receipt{ID: p.id}
	guarded := func(fresh int64) time.Time {
		if p.origin != 0 { // by the mark, for ever
			return time.Time{}
		}
		return instant(fresh).Add(e.cfg.KeepFor)
	}
	switch status := r.uint(1); status {
	case 'A':
		receipt.Status, receipt.GuardedUntil = queue.Accepted, guarded(max(p.run, now))
	case 'D', 'C':
		receipt.Status, receipt.Holder, receipt.HolderState = queue.Duplicate, p.id, queue.State(r.uint(1))
		receipt.HolderRunAt = instant(r.uint(6))
		receipt.GuardedUntil = guarded(r.uint(6))
		if print := uint64(r.uint(8)); status == 'C' {
			receipt.Status, receipt.GuardedUntil = queue.Conflict, time.Time{}
			receipt.Err = failed("enqueue", p.id, queue.ErrConflict, fmt.Sprintf("the job that has the id is %s and has fingerprint %016x, this has %016x",
				receipt.HolderState, print, p.job.Fingerprint), "")
		}
	default:
		receipt.Status, receipt.Err = queue.Refused, e.refused(byte(status), p, now, mark)
	}
	return receipt
}

// refused says why a job was not stored.
func (e *Engine) refused(status byte, p *prepared, now, mark int64) error {
	if status == 'O' {
		return failed("enqueue", p.id, queue.ErrRefused, fmt.Sprintf("its origin is %s ahead, the limit is %s", time.Duration(p.origin-now)*time.Millisecond, queue.MaxOriginAhead),
			"set the producer's clock")
	}
	return failed("enqueue", p.id, queue.ErrRefused, fmt.Sprintf("its origin %s is at or before the mark %s", instant(p.origin).Format(time.RFC3339), instant(mark).Format(time.RFC3339)),
		"it may have run before; if it must run again, give it another key")
}
