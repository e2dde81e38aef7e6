package redis

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Settle implements [queue.Engine].
func (e *Engine) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	if err := fits("settle", len(ends)); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, "settle"); err != nil {
		return nil, err
	}
	ends, err := e.sealed(ctx, ends)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(ends))
	err = e.settle(ctx, ends, errs)
	if err != nil {
		return nil, translated("settle", err)
	}
	return errs, nil
}

// sealed gives the settlements with the effects of jobs that are about to be dead listed, where the caller did not: their
// ledger is sealed first, for it is not in the queue's keys.
func (e *Engine) sealed(ctx context.Context, ends []queue.Settlement) ([]queue.Settlement, error) {
	own := false
	for i := range ends {
		s := &ends[i]
		if s.State != queue.Dead || s.Effects != nil || s.Check() != nil {
			continue
		}
		made, err := e.Ledger().Seal(ctx, s.Lease.Job.ID, s.Lease.Token)
		if err != nil {
			return nil, err
		}
		if !own {
			ends, own = slices.Clone(ends), true
		}
		ends[i].Effects = made
	}
	return ends, nil
}

// batch is what one script settles: attempts of one queue, and what follows them.
type batch struct {
	queues []string // the settled jobs' queue first, then those of jobs to follow
	need   map[string][]laneKey
	ends   []int
	next   [][]prepared
	plain  int // of the attempts: those that are done, and nothing more is to be said of them; they come first
	lines  []*line
	sends  bool // a job to follow is of another node
}

// settle ends attempts, queue by queue, in one round trip where nothing has changed meanwhile.
func (e *Engine) settle(ctx context.Context, ends []queue.Settlement, errs []error) error {
	batches := e.batches(ctx, ends, errs)
	applied := false
	fail := func(err error) error {
		if applied {
			return inPart(err)
		}
		return err
	}
	for range staleAtMost {
		calls := make([]call, len(batches))
		for i, b := range batches {
			c, err := e.settling(ctx, b, ends)
			if err != nil {
				return fail(err)
			}
			calls[i] = c
		}
		if len(calls) == 0 {
			return nil
		}
		var again []*batch
		for i, result := range e.run(ctx, calls...) {
			bytes, err := result.AsBytes()
			if err != nil {
				return fail(err)
			}
			if string(bytes) == stale {
				again = append(again, batches[i])
				continue
			}
			applied = true
			e.settledAll(batches[i], ends, errs, bytes)
		}
		for _, b := range again {
			for _, name := range b.queues {
				if _, err := e.reload(ctx, name, true, b.need[name]...); err != nil {
					return fail(err)
				}
			}
		}
		if batches = again; len(batches) == 0 {
			return nil
		}
	}
	return fail(errUnsteady(batches[0].queues[0]))
}

// settledAll reads what the script says of a batch.
func (e *Engine) settledAll(b *batch, ends []queue.Settlement, errs []error, answer []byte) {
	r := reader{b: answer}
	for n, at := range b.ends {
		errs[at] = e.ended(&ends[at], b.next[n], &r)
	}
	if b.sends {
		e.forwardNow(b.queues[0])
	}
}

// batches checks settlements and orders them by queue.
func (e *Engine) batches(ctx context.Context, ends []queue.Settlement, errs []error) []*batch {
	var all []*batch
	of := map[string]*batch{}
	now := e.about()
	for i := range ends {
		s := &ends[i]
		if errs[i] = s.Check(); errs[i] != nil {
			continue
		}
		var next []prepared
		for _, j := range s.Next {
			j, err := j.Prepared(e.cfg.MaxPayload, now)
			if err != nil {
				errs[i] = refusedNext(*s, err)
				break
			}
			next = append(next, prepare(j))
		}
		if errs[i] != nil {
			continue
		}
		if len(next) == 0 {
			// as most are
		} else if next, errs[i] = e.notElsewhere(ctx, *s, next); errs[i] != nil {
			continue
		}
		name := s.Lease.Job.Queue
		b := of[name]
		if b == nil {
			b = &batch{queues: []string{name}, need: map[string][]laneKey{}}
			of[name] = b
			all = append(all, b)
		}
		if e.server.Cluster {
			if next, errs[i] = e.askedAbroad(ctx, *s, next); errs[i] != nil {
				continue
			}
		}
		for _, p := range next {
			to := p.job.Queue
			if e.server.Cluster && to != name {
				b.sends = true
				continue
			}
			if !slices.Contains(b.queues, to) {
				b.queues = append(b.queues, to)
			}
			if !slices.Contains(b.need[to], p.lane) {
				b.need[to] = append(b.need[to], p.lane)
			}
		}
		b.ends, b.next = append(b.ends, i), append(b.next, next)
	}
	for _, b := range all {
		b.order(ends)
	}
	return all
}

// notElsewhere leaves out jobs to follow that a queue has in which their kind was before: they are duplicates. Two
// clients that store one id in two queues at the same moment are not told apart here.
func (e *Engine) notElsewhere(ctx context.Context, s queue.Settlement, next []prepared) ([]prepared, error) {
	var new []prepared
	for i := range next {
		p := &next[i]
		l, err := e.line(ctx, p.job.Queue, true, p.lane)
		if err != nil {
			return nil, translated("settle", err)
		}
		known := false
		for _, other := range l.also {
			raw, err := e.client.Do(ctx, e.client.B().Hget().Key(e.key(other, "j")).Field(rueidis.BinaryString(p.id[:])).Build()).AsBytes()
			if rueidis.IsRedisNil(err) {
				continue
			}
			if err != nil {
				return nil, translated("settle", err)
			}
			rec, err := readRecord(raw)
			if err != nil {
				return nil, damaged("settle", p.id, err)
			}
			if rec.fingerprint != p.job.Fingerprint {
				return nil, e.refusedOf(s, p, 'C')
			}
			known = true
		}
		if !known {
			new = append(new, *p)
		}
	}
	return new, nil
}

// order puts those that are plainly done first, unless a job is settled twice: then the first wins.
func (b *batch) order(ends []queue.Settlement) {
	seen := make(map[queue.ID]bool, len(b.ends))
	for _, at := range b.ends {
		seen[ends[at].Lease.Job.ID] = true
	}
	if len(seen) < len(b.ends) {
		return
	}
	var first, rest []int
	var next [][]prepared
	for n, at := range b.ends {
		if s := &ends[at]; s.State == queue.Done && s.Outcome == queue.OutcomeDone && s.Lease.Job.KeepFor == 0 && len(b.next[n]) == 0 {
			first = append(first, at)
		} else {
			rest, next = append(rest, at), append(next, b.next[n])
		}
	}
	b.plain = len(first)
	b.ends, b.next = append(first, rest...), append(make([][]prepared, len(first)), next...)
}

func refusedNext(s queue.Settlement, err error) error {
	return &queue.Error{Op: "settle", Subject: s.Lease.Job.ID.String(), Reason: err, Detail: "a job to follow it cannot be stored, so nothing was changed"}
}

// settling makes the script's call.
func (e *Engine) settling(ctx context.Context, b *batch, ends []queue.Settlement) (call, error) {
	b.lines = b.lines[:0]
	for _, name := range b.queues {
		l, err := e.line(ctx, name, true, b.need[name]...)
		if err != nil {
			return call{}, err
		}
		b.lines = append(b.lines, l)
	}
	args := []string{span(e.cfg.UniqueFor), rueidis.BinaryString(e.plainly(ctx, ends, b.ends[:b.plain])), digits(len(b.ends) - b.plain)}
	for n, at := range b.ends {
		if n < b.plain {
			continue
		}
		s := &ends[at]
		claim := e.claimOf(ctx, &s.Lease)
		args = append(args, rueidis.BinaryString(s.Lease.Job.ID[:]), rueidis.BinaryString(claim[:]), digits(s.Lease.Token), e.headOf(s), e.textsOf(s), digits(len(b.next[n])))
		for k := range b.next[n] {
			p := &b.next[n][k]
			if to := slices.Index(b.queues, p.job.Queue); to >= 0 {
				args = append(append(args, digits(to+1)), p.args(b.lines[to])...)
			} else {
				args = append(args, p.abroad()...)
			}
		}
	}
	return e.joint(settleScript, b.lines, args...), nil
}

// plainly writes attempts that are done, and no more: of those of one claim that stand together its id and their number,
// then of each the job's id and the token.
func (e *Engine) plainly(ctx context.Context, ends []queue.Settlement, of []int) []byte {
	b := make([]byte, 0, 18+21*len(of))
	var last queue.ClaimID
	count := 0 // where the number of the last claim's stands
	for n, at := range of {
		s := &ends[at]
		claim := e.claimOf(ctx, &s.Lease)
		if n == 0 || claim != last {
			b = append(b, claim[:]...)
			last, count = claim, len(b)
			b = append(b, 0, 0)
		}
		binary.BigEndian.PutUint16(b[count:], binary.BigEndian.Uint16(b[count:])+1)
		var eight [8]byte
		binary.BigEndian.PutUint64(eight[:], uint64(s.Lease.Token))
		b = append(append(b, s.Lease.Job.ID[:]...), eight[3:]...)
	}
	return b
}

// What headOf tells by bits.
const (
	bitAlone = 1 << iota
	bitLone
	bitCheckpoint
	bitResult
)

// headOf writes what a settlement says in numbers: as '>BBBBI6I6' reads it.
func (e *Engine) headOf(s *queue.Settlement) string {
	var bits byte
	set := func(is bool, bit byte) {
		if is {
			bits |= bit
		}
	}
	set(s.Alone, bitAlone)
	set(s.Lone, bitLone)
	set(s.State == queue.Queued && s.Checkpoint != nil && len(s.Checkpoint) <= e.cfg.MaxPayload, bitCheckpoint)
	set(s.State == queue.Done && s.Result != nil && len(s.Result) <= e.cfg.MaxPayload, bitResult)
	b := make([]byte, 4, 20)
	b[0], b[1], b[2], b[3] = byte(s.State), byte(s.Outcome), byte(s.Count), bits
	var eight [8]byte
	for _, n := range []int64{milli(s.RunAt), s.Lease.Job.KeepFor.Milliseconds()} {
		binary.BigEndian.PutUint64(eight[:], uint64(max(0, n)))
		b = append(b, eight[2:]...)
	}
	return rueidis.BinaryString(b)
}

// textsOf writes what it says in words: error, checkpoint, result, reason and effects. A text that is too large is
// dropped, and said so: it never hinders the settlement.
func (e *Engine) textsOf(s *queue.Settlement) string {
	if s.State == queue.Done && s.Lease.Job.KeepFor == 0 {
		return ""
	}
	text := s.Error
	fitting := func(what string, b []byte) []byte {
		if len(b) <= e.cfg.MaxPayload {
			return b
		}
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("its %s was dropped: it has %d bytes, the limit is %d", what, len(b), e.cfg.MaxPayload)
		return nil
	}
	var result, checkpoint []byte
	if s.State == queue.Done {
		result = fitting("result", s.Result)
	}
	if s.State == queue.Queued {
		checkpoint = fitting("checkpoint", s.Checkpoint)
	}
	if len(text) > queue.MaxError {
		note := fmt.Sprintf(" … cut: it had %d bytes", len(text))
		text = text[:queue.MaxError-len(note)] + note
	}
	var b []byte
	for _, t := range []string{text, string(checkpoint), string(result), string(s.Reason), listed(s.Effects)} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(t))), t...)
	}
	return rueidis.BinaryString(b)
}

// ended reads what the script says of one settlement.
func (e *Engine) ended(s *queue.Settlement, next []prepared, r *reader) error {
	if len(r.b) > 0 && r.b[0] == 'N' {
		r.take(1)
		status, k := byte(r.uint(1)), int(r.uint(1))
		if k < 1 || k > len(next) {
			return damaged("settle", s.Lease.Job.ID, errShort)
		}
		return e.refusedOf(*s, &next[k-1], status)
	}
	return answer("settle", &s.Lease, true, r)
}

// refusedOf says that a job to follow cannot be stored.
func (e *Engine) refusedOf(s queue.Settlement, p *prepared, status byte) error {
	if status == 'C' {
		return refusedNext(s, failed("enqueue", p.id, queue.ErrConflict, fmt.Sprintf("%s/%q", p.job.Kind, p.job.Key), ""))
	}
	return refusedNext(s, e.refused(status, p, milli(e.about()), 0))
}
