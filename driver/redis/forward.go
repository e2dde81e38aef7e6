package redis

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// In a cluster a job that follows a settled one may belong to a queue of another node, which no script reaches. Then
// it is stored with the settlement, in a list of the settled job's queue, and forwarded from there under its id: at
// once, and by whoever claims of that queue, should this process die before. A job that was forwarded twice is a
// duplicate.

// abroad gives such a job's arguments for the script: all that is needed to enqueue it elsewhere is in the last.
func (p *prepared) abroad() []string {
	b := append([]byte{byte(len(p.job.Queue))}, p.job.Queue...)
	name := p.lane.name()
	b = append(append(b, byte(len(name))), name...)
	return []string{"0", rueidis.BinaryString(p.id[:]), "0", digits(p.run), digits(p.origin), rueidis.BinaryString(append(b, p.tail...))}
}

// askedAbroad puts jobs of other queues last, and asks those queues first whether they would take them: a conflict is
// known before anything is changed, unless it comes about at this very moment.
func (e *Engine) askedAbroad(ctx context.Context, s queue.Settlement, next []prepared) ([]prepared, error) {
	var here, there []prepared
	for _, p := range next {
		if p.job.Queue == s.Lease.Job.Queue {
			here = append(here, p)
		} else {
			there = append(there, p)
		}
	}
	for i := range there {
		p := &there[i]
		raw, err := e.client.Do(ctx, e.client.B().Hget().Key(e.key(p.job.Queue, "j")).Field(rueidis.BinaryString(p.id[:])).Build()).AsBytes()
		if ignoreNil(err) != nil {
			return nil, translated("settle", err)
		}
		var status byte
		if err == nil {
			if rec, err := readRecord(raw); err == nil && rec.fingerprint != p.job.Fingerprint {
				status = 'C'
			}
		} else if mark, err := e.Mark(ctx, p.job.Queue); err != nil {
			return nil, err
		} else if p.origin != 0 && p.origin <= milli(mark) {
			status = 'R'
		}
		if p.origin > milli(e.about())+queue.MaxOriginAhead.Milliseconds() {
			status = 'O'
		}
		if status != 0 {
			return nil, e.refusedOf(s, p, status)
		}
	}
	return append(here, there...), nil
}

// forwardAtOnce is how many jobs are forwarded together.
const forwardAtOnce = 100

// forward moves what waits in a queue's list, beside the caller.
func (e *Engine) forward(name string) {
	e.closing.RLock()
	defer e.closing.RUnlock()
	if e.usable(context.Background(), "forward") == nil {
		e.beside.Go(func() { e.forwardAll(name) })
	}
}

// forwardNow is forward for who has just settled: jobs that follow are where they belong when it returns, unless their
// node does not answer. Then they wait, and whoever claims of the queue goes on with them.
func (e *Engine) forwardNow(name string) {
	e.closing.RLock()
	if e.usable(context.Background(), "forward") != nil {
		e.closing.RUnlock()
		return
	}
	done := make(chan struct{})
	e.beside.Go(func() {
		defer close(done)
		for start := time.Now(); !e.forwardAll(name) && time.Since(start) < forwardPatience; time.Sleep(time.Millisecond) {
			// another forwards, and may have looked before these were there
		}
	})
	e.closing.RUnlock()
	select {
	case <-done:
	case <-time.After(forwardPatience):
	}
}

// forwardPatience is how long a settlement waits for the node of the jobs that follow.
const forwardPatience = time.Second

// forwardAll moves what waits; false: another goroutine does. One of a process does so for a queue at a time.
func (e *Engine) forwardAll(name string) bool {
	if _, busy := e.forwarding.LoadOrStore(name, true); busy {
		return false
	}
	defer e.forwarding.Delete(name)
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	for {
		n, err := e.forwardSome(ctx, name)
		if err != nil {
			e.cfg.Logger.Warn("jobs that follow others wait to be forwarded to another node", "queue", name, "error", err)
		}
		if err != nil || n == 0 {
			return true
		}
	}
}

func (e *Engine) forwardSome(ctx context.Context, name string) (int, error) {
	rows, err := e.client.Do(ctx, e.client.B().Lrange().Key(e.key(name, "o")).Start(0).Stop(forwardAtOnce-1).Build()).AsStrSlice()
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	jobs := make([]prepared, len(rows))
	for i, row := range rows {
		r := reader{b: []byte(row)}
		r.take(16 + 5)
		p := prepared{id: queue.ID(r.take(16)), run: r.uint(6), origin: r.uint(6)}
		to := string(r.take(int(r.uint(1))))
		p.lane = laneNamed(string(r.take(max(1, int(r.uint(1))))))
		p.tail = r.b
		if r.short || len(p.tail) < 8 {
			return 0, damaged("forward", p.id, errShort)
		}
		p.job = &queue.Job{ID: p.id, Queue: to, Kind: p.lane.kind, Fingerprint: binary.BigEndian.Uint64(p.tail)}
		jobs[i] = p
	}
	names, of := byQueue(jobs, func(p prepared) string { return p.job.Queue })
	for _, to := range names {
		var some []prepared
		for _, i := range of[to] {
			some = append(some, jobs[i])
		}
		receipts, err := e.store(ctx, to, some)
		if err != nil {
			return 0, err
		}
		for _, r := range receipts {
			if r.Err != nil { // it came about after the settlement had asked
				e.cfg.Logger.Error("a job that follows another cannot be stored", "job_id", r.ID.String(), "queue", to, "error", r.Err)
			}
		}
	}
	_, _, err = e.on(ctx, forwardScript, name, false, nil, func(*line) []string {
		return append([]string{digits(len(rows))}, slices.Clone(rows)...)
	})
	return len(rows), err
}
