package redis

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Extend implements [queue.Engine].
func (e *Engine) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	if ttl < queue.Resolution || ttl > maxTTL {
		return nil, &queue.Error{Op: "extend", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("its ttl is %s", ttl), Remedy: fmt.Sprintf("use %s to %s", queue.Resolution, maxTTL)}
	}
	if err := fits("extend", len(leases)); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "extend"); err != nil {
		return nil, err
	}
	errs := make([]error, len(leases))
	names, of := byQueue(leases, func(l queue.Lease) string { return l.Job.Queue })
	answers, err := e.each(ctx, extendScript, names, false, func(i int, _ *line) []string {
		args := []string{digits(ttl.Milliseconds()), digits(len(of[names[i]]))}
		for _, n := range of[names[i]] {
			claim := e.claimOf(ctx, &leases[n])
			args = append(args, rueidis.BinaryString(leases[n].Job.ID[:]), rueidis.BinaryString(claim[:]), digits(leases[n].Token))
		}
		return args
	})
	if err != nil {
		return nil, translated("extend", err)
	}
	for i, a := range answers {
		r := reader{b: a.bytes}
		for _, n := range of[names[i]] {
			errs[n] = answer("extend", &leases[n], a.bytes != nil, &r)
		}
	}
	return errs, nil
}

// byQueue gives the queues of items, in order, and which items are of each.
func byQueue[T any](items []T, of func(T) string) ([]string, map[string][]int) {
	var names []string
	at := map[string][]int{}
	for i, it := range items {
		name := of(it)
		if at[name] == nil {
			names = append(names, name)
		}
		at[name] = append(at[name], i)
	}
	return names, at
}

// claimOf gives the claim that a lease is of, which is what a record holds; nobody's where the lease's id is not the
// one that this claim got of this job at this token.
func (e *Engine) claimOf(ctx context.Context, l *queue.Lease) (claim queue.ClaimID) {
	if len(l.Ref) != 2*len(claim) { // whoever kept the lease did not keep all of it
		id := l.Job.ID
		raw, err := e.client.Do(ctx, e.client.B().Hget().Key(e.key(l.Job.Queue, "j")).Field(rueidis.BinaryString(id[:])).Build()).AsBytes()
		if err == nil {
			rec, _ := readRecord(raw)
			claim = rec.claim
		}
	} else if _, err := hex.Decode(claim[:], []byte(l.Ref)); err != nil {
		claim = queue.ClaimID{}
	}
	if claim.Lease(l.Job.ID, l.Token) != l.ID {
		return queue.ClaimID{0xff}
	}
	return claim
}

// answer reads what a script says of one lease.
func answer(op string, l *queue.Lease, there bool, r *reader) error {
	status := byte('U')
	if there {
		status = r.byte()
	}
	if status == 'E' {
		return nil
	}
	lost := &queue.Error{Op: op, Subject: l.Job.ID.String(), Reason: queue.ErrLeaseLost}
	switch status {
	case 'X':
		lost.Cause = queue.ErrCancelled
	case 'L':
		state, token := queue.State(r.uint(1)), r.uint(5)
		lost.Detail = fmt.Sprintf("the lease has token %d; the job is %s at token %d", l.Token, state, token)
	default:
		lost.Detail = "the job is not known any more"
	}
	return lost
}
