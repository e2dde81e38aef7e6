package redis

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Claim implements [queue.Engine]. A claim that waits is told by the server of new jobs, and looks by itself when
// the next one is due.
func (e *Engine) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	if err := checkClaim(&req); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "claim"); err != nil {
		return nil, err
	}
	until := time.Now().Add(req.Wait)
	var waiter *waiter
	if req.Wait > 0 {
		waiter = e.wake.join(req)
		defer waiter.leave()
	}
	for {
		left := time.Until(until)
		pause := min(left, lookEvery(req.TTL))
		leases, next, err := e.look(ctx, req, max(0, pause))
		if err != nil || len(leases) > 0 || left <= 0 {
			if err != nil && ctx.Err() != nil && waiter != nil && errors.Is(err, queue.ErrClosed) {
				return nil, nil
			}
			return leases, translated("claim", err)
		}
		if next < pause {
			pause = max(next, time.Millisecond)
		}
		if leases, err = waiter.sleep(ctx, pause); len(leases) > 0 {
			return leases, nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil // nothing was claimed: the caller gave up waiting
			}
			return nil, &queue.Error{Op: "claim", Subject: "redis", Reason: queue.ErrClosed}
		}
	}
}

// lookEvery is how often somebody who waits shows the server that the queue is served.
func lookEvery(ttl time.Duration) time.Duration { return min(5*time.Second, ttl/3) }

func checkClaim(req *queue.Claim) error {
	var found queue.Problems
	bad := func(is bool, detail, remedy string) {
		if is {
			found = append(found, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
		}
	}
	bad(req.ID == queue.ClaimID{}, "it has no id", "use queue.NewClaimID for each request")
	bad(len(req.Queues) == 0 || len(req.Queues) > 1000, fmt.Sprintf("it names %d queues", len(req.Queues)), "name those that the worker serves, at most 1000")
	bad(len(req.Kinds) == 0 || len(req.Kinds) > 1000, fmt.Sprintf("it names %d kinds", len(req.Kinds)), "name those that the worker handles, at most 1000")
	bad(req.Max < 1 || req.Max > maxBatch, fmt.Sprintf("its max is %d", req.Max), fmt.Sprintf("use 1 to %d", maxBatch))
	bad(req.TTL < queue.Resolution || req.TTL > maxTTL, fmt.Sprintf("its ttl is %s", req.TTL), fmt.Sprintf("use %s to %s", queue.Resolution, maxTTL))
	bad(req.Wait < 0, fmt.Sprintf("its wait is %s", req.Wait), "use 0 for not at all")
	bad(len(req.Worker) > 255, fmt.Sprintf("its worker's name has %d bytes", len(req.Worker)), "use at most 255")
	if len(found) > 0 {
		return &queue.Error{Op: "claim", Subject: "redis", Reason: queue.ErrInvalid, Cause: found}
	}
	return nil
}

// look is one look at the queues. next is how long until something may be due.
func (e *Engine) look(ctx context.Context, req queue.Claim, wait time.Duration) ([]queue.Lease, time.Duration, error) {
	if len(req.Queues) == 1 {
		return e.lease(ctx, req, req.Queues[0], req.Max, wait)
	}
	return e.lookAround(ctx, req, wait)
}

// lease claims of one queue.
func (e *Engine) lease(ctx context.Context, req queue.Claim, name string, most int, wait time.Duration) ([]queue.Lease, time.Duration, error) {
	answers, err := e.each(ctx, claimScript, []string{name}, wait > 0, func(_ int, l *line) []string { return e.claimArgs(req, l, most, wait) })
	if err != nil || answers[0].line == nil {
		return nil, forever, err
	}
	return e.leases(req, answers[0])
}

const forever = time.Duration(math.MaxInt64)

// claimArgs are the script's arguments after the head: the lanes that the claim asks for, those of one priority together.
func (e *Engine) claimArgs(req queue.Claim, l *line, most int, wait time.Duration) []string {
	args := []string{rueidis.BinaryString(req.ID[:]), req.Worker, digits(most), digits(req.TTL.Milliseconds()), flag(req.Lone), digits(wait.Milliseconds()), digits(e.cfg.few)}
	wanted := l.wanted(req)
	groups := len(args)
	args = append(args, "")
	n := 0
	for len(wanted) > 0 {
		same := 1
		for same < len(wanted) && l.names[wanted[same]-1].priority == l.names[wanted[0]-1].priority {
			same++
		}
		args = append(args, digits(same))
		for _, lane := range wanted[:same] {
			args = append(args, digits(lane), digits(max(0, req.CrashCaps[l.names[lane-1].kind])))
		}
		wanted = wanted[same:]
		n++
	}
	args[groups] = digits(n)
	return args
}

// wanted gives the lanes that a claim asks for, highest priority first.
func (l *line) wanted(req queue.Claim) []int {
	var wanted []int
	for i, k := range l.names {
		if slices.Contains(req.Kinds, k.kind) {
			wanted = append(wanted, i+1)
		}
	}
	slices.SortFunc(wanted, func(a, b int) int { return cmp.Compare(l.names[b-1].priority, l.names[a-1].priority) })
	return wanted
}

// leases reads a claim's answer: a head, then of each job its id, its record and, where there is any, its story.
func (e *Engine) leases(req queue.Claim, a answered) ([]queue.Lease, time.Duration, error) {
	if len(a.parts) == 0 {
		return nil, 0, damaged("claim", queue.ID{}, errShort)
	}
	l := a.line
	head, _ := a.parts[0].AsBytes()
	r := reader{b: head}
	now := r.uint(6)
	due := math.Float64frombits(uint64(r.uint(8)))
	if r.uint(1) == 1 {
		e.forward(l.name)
	}
	next := forever
	if ms := due - float64(now); ms < 1e12 {
		next = time.Duration(ms) * time.Millisecond
	}
	if r.short {
		return nil, 0, damaged("claim", queue.ID{}, errShort)
	}
	rest := a.parts[1:]
	part := func() (b []byte) {
		if len(rest) > 0 {
			b, _ = rest[0].AsBytes()
			rest = rest[1:]
		}
		return b
	}
	var leases []queue.Lease
	ref := hex.EncodeToString(req.ID[:])
	if len(rest) > 0 {
		leases = make([]queue.Lease, 0, len(rest)/2)
	}
	for len(rest) > 0 {
		var id queue.ID
		copy(id[:], part())
		raw, told := part(), []byte(nil)
		if len(raw) > 1 && raw[1]&flagTold != 0 {
			told = part()
		}
		lease, err := leased(&req, ref, id, l, raw, told)
		if err != nil {
			// It stays leased, and comes back as a crash: a person must look.
			e.cfg.Logger.Error("a job cannot be read: it is kept", "job_id", id.String(), "queue", l.name, "error", err)
			continue
		}
		leases = append(leases, lease)
	}
	return leases, next, nil
}

// leased reads one lease.
func leased(req *queue.Claim, ref string, id queue.ID, l *line, raw, told []byte) (queue.Lease, error) {
	rec, err := readRecord(raw, req.Worker)
	if err != nil {
		return queue.Lease{}, err
	}
	job, err := rec.job(id, l)
	if err == nil && queue.NewID(job.Kind, job.Key) != id {
		err = errOther
	}
	if err != nil {
		return queue.Lease{}, err
	}
	lease := queue.Lease{Job: job, ID: req.ID.Lease(id, rec.token), Token: rec.token, Ref: ref, Worker: rec.worker,
		DueAt: instant(rec.run), ClaimedAt: instant(rec.claimed), Until: instant(rec.at), FreshAt: instant(rec.fresh), Lone: rec.lone()}
	if len(told) > 0 {
		s, err := readStory(told)
		if err != nil {
			return queue.Lease{}, err
		}
		lease.Counts, lease.Checkpoint = s.counts, s.checkpoint
	}
	return lease, nil
}

var errOther = errors.New("its id is not that of its kind and key: the queue's lanes are not those it was stored with")

// candidate is a job that a claim could have, and where.
type candidate struct {
	queue         int
	priority      int64
	at, born, nth int64
}

// lookAround claims of several queues: first it asks what each has, then it takes of each what is its due. In a
// cluster each node is asked once a step.
func (e *Engine) lookAround(ctx context.Context, req queue.Claim, wait time.Duration) ([]queue.Lease, time.Duration, error) {
	names := slices.Compact(slices.Sorted(slices.Values(req.Queues)))
	answers, err := e.each(ctx, peekScript, names, wait > 0, func(_ int, l *line) []string {
		args := []string{digits(req.Max), flag(req.Lone), digits(wait.Milliseconds())}
		wanted := l.wanted(req)
		args = append(args, digits(len(wanted)))
		for _, lane := range wanted {
			args = append(args, digits(l.names[lane-1].priority), digits(lane))
		}
		return args
	})
	if err != nil {
		return nil, 0, err
	}
	next := forever
	var offers []candidate
	for i, a := range answers {
		if a.bytes == nil {
			continue
		}
		r := reader{b: a.bytes}
		now := r.uint(6)
		if ms := math.Float64frombits(uint64(r.uint(8))) - float64(now); ms < 1e12 {
			next = min(next, time.Duration(ms)*time.Millisecond)
		}
		for len(r.b) > 0 {
			offers = append(offers, candidate{i, r.uint(1), r.uint(6), r.uint(6), r.uint(3)})
		}
	}
	slices.SortStableFunc(offers, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.at, b.at), cmp.Compare(a.born, b.born), cmp.Compare(a.nth, b.nth))
	})
	quota := make([]int, len(names))
	for _, c := range offers[:min(len(offers), req.Max)] {
		quota[c.queue]++
	}
	// A repeated claim finds nothing due, and yet has leases: those are asked for in any case.
	answers, err = e.each(ctx, claimScript, names, false, func(i int, l *line) []string { return e.claimArgs(req, l, quota[i], 0) })
	if err != nil {
		return nil, 0, err
	}
	var leases []queue.Lease
	for _, a := range answers {
		if a.line == nil {
			continue
		}
		got, _, err := e.leases(req, a)
		if err != nil {
			return nil, 0, err
		}
		leases = append(leases, got...)
	}
	slices.SortStableFunc(leases, func(a, b queue.Lease) int { return cmp.Compare(b.Job.Priority, a.Job.Priority) })
	return leases, next, nil
}

// answered is what one queue's script said, in one text or in parts; line is nil where there is no such queue.
type answered struct {
	line  *line
	bytes []byte
	parts []rueidis.RedisMessage
}

// each runs a script on several queues in one round trip.
func (e *Engine) each(ctx context.Context, s *script, names []string, make_ bool, args func(int, *line) []string) ([]answered, error) {
	answers := make([]answered, len(names))
	open := make([]int, len(names))
	for i := range names {
		open[i] = i
	}
	for range staleAtMost {
		var calls []call
		var of []int
		for _, i := range open {
			l, err := e.line(ctx, names[i], make_)
			if refusalOf(err) == "OOM" { // there is no room to make it, so it has no jobs
				err = nil
			}
			if err != nil {
				return nil, err
			}
			answers[i].line = l
			if l != nil {
				calls = append(calls, call{s, l.keys, append(e.head(l), args(i, l)...)})
				of = append(of, i)
			}
		}
		if len(calls) == 0 {
			return answers, nil
		}
		open = open[:0]
		for n, result := range e.run(ctx, calls...) {
			i := of[n]
			message, err := result.ToMessage()
			if err != nil {
				return nil, err
			}
			if message.IsArray() {
				answers[i].parts, _ = message.ToArray()
				continue
			}
			bytes, err := message.AsBytes()
			if err != nil {
				return nil, err
			}
			if string(bytes) != stale {
				answers[i].bytes = bytes
				continue
			}
			if _, err := e.reload(ctx, names[i], make_); err != nil && refusalOf(err) != "OOM" {
				return nil, err
			}
			open = append(open, i)
		}
		if len(open) == 0 {
			return answers, nil
		}
	}
	return nil, errUnsteady(names[open[0]])
}
