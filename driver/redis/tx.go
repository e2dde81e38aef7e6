package redis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Tx gathers what a caller does with jobs and with data of its own in Redis, which Commit carries out by one script or
// not at all. What its calls answer is how things stood when they were made: where that has changed by then, Commit
// fails with ErrUnavailable, or ErrLeaseLost, and nothing was done. It holds up nobody, and serves one goroutine.
type Tx struct {
	e       *Engine
	holds   []queue.Lease
	ends    []queue.Settlement
	jobs    []prepared
	told    []byte // what was answered for each job, as the script says it
	known   map[queue.ID]uint64
	change  string
	keys    []string
	args    []string
	over    bool
	settles string // the queue of the jobs that it settles
}

var _ queue.Tx = (*Tx)(nil)

// Begin opens a transaction. Until Commit nobody sees what it does, and nothing has to be undone.
func (e *Engine) Begin() *Tx { return &Tx{e: e, known: map[queue.ID]uint64{}} }

// In implements [queue.Transactor].
func (e *Engine) In(tx *Tx) queue.Tx { return tx }

// Atomically runs fn with a transaction that it commits if fn returns nil.
func (e *Engine) Atomically(ctx context.Context, fn func(tx *Tx) error) error {
	tx := e.Begin()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Change sets what is to be changed beside the jobs: a Lua script with its KEYS and ARGV. Redis undoes nothing of a
// script that fails midway: so it should look first, call error() where it must not go on, and only then write. Then
// nothing else of the transaction is done either. In a cluster its keys need the hash tag of the jobs' queue, {NAME}.
func (t *Tx) Change(script string, keys []string, args ...string) {
	t.change, t.keys, t.args = script, keys, args
}

// Enqueue implements [queue.Enqueuer].
func (t *Tx) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if err := t.usable(ctx, "enqueue", len(t.jobs)+len(jobs)); err != nil {
		return nil, err
	}
	receipts := make([]queue.Receipt, len(jobs))
	now := t.e.about()
	for i, j := range jobs {
		j, err := j.Prepared(t.e.cfg.MaxPayload, now)
		if err != nil {
			receipts[i] = queue.Receipt{ID: j.ID, Status: queue.Refused, Err: err}
			continue
		}
		p := prepare(j)
		status, answer, err := t.would(ctx, &p)
		if err != nil {
			return nil, translated("enqueue", err)
		}
		mark, err := t.e.Mark(ctx, j.Queue)
		if err != nil {
			return nil, err
		}
		receipts[i] = t.e.receipt(&p, &reader{b: answer}, milli(now), milli(mark))
		t.jobs, t.told = append(t.jobs, p), append(t.told, status)
	}
	return receipts, nil
}

// would says what the script would, had it to enqueue the job now.
func (t *Tx) would(ctx context.Context, p *prepared) (status byte, answer []byte, err error) {
	now, err := t.e.now(ctx)
	if err != nil {
		return 0, nil, err
	}
	if print, here := t.known[p.id]; here { // by this transaction
		r := record{state: queue.Queued, run: max(p.run, now), fresh: max(p.run, now), fingerprint: print}
		status = r.against(p)
		return status, r.answer(status), nil
	}
	found, err := t.e.find(ctx, []queue.ID{p.id})
	if err != nil {
		return 0, nil, err
	}
	mark, err := t.e.Mark(ctx, p.job.Queue)
	switch f := found[0]; {
	case err != nil:
		return 0, nil, err
	case p.origin > now+queue.MaxOriginAhead.Milliseconds():
		return 'O', []byte("O"), nil
	case f != nil && f.line.name != p.job.Queue:
		return 0, nil, &queue.Error{Op: "enqueue", Subject: p.id.String(), Reason: queue.ErrInvalid, Detail: "the job is known in queue " + f.line.name + ", and is to go to " + p.job.Queue,
			Remedy: "enqueue it outside a transaction"}
	case f != nil:
		status = f.rec.against(p)
		return status, f.rec.answer(status), nil
	case p.origin != 0 && p.origin <= milli(mark):
		return 'R', []byte("R"), nil
	}
	t.known[p.id] = p.job.Fingerprint
	return 'A', []byte("A"), nil
}

// against is D or C: the same job, or another with its id.
func (j *record) against(p *prepared) byte {
	if j.fingerprint == p.job.Fingerprint {
		return 'D'
	}
	return 'C'
}

// answer is what the script says of a job whose id is taken.
func (j *record) answer(status byte) []byte {
	b := []byte{status, byte(j.state)}
	for _, n := range []int64{j.run, j.fresh} {
		for shift := 40; shift >= 0; shift -= 8 {
			b = append(b, byte(n>>shift))
		}
	}
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte(j.fingerprint>>shift))
	}
	return b
}

// Hold implements [queue.Tx]: whoever claims the job next makes Commit fail.
func (t *Tx) Hold(ctx context.Context, lease queue.Lease) error {
	if err := t.usable(ctx, "hold", len(t.holds)+1); err != nil {
		return err
	}
	if err := t.held(ctx, "hold", lease); err != nil {
		return err
	}
	if err := t.only("hold", lease.Job.Queue); err != nil {
		return err
	}
	t.holds = append(t.holds, lease)
	return nil
}

// held fails with ErrLeaseLost unless the lease is held now.
func (t *Tx) held(ctx context.Context, op string, l queue.Lease) error {
	found, err := t.e.find(ctx, []queue.ID{l.Job.ID})
	if err != nil {
		return translated(op, err)
	}
	f := found[0]
	switch {
	case f == nil:
		return answer(op, &l, false, nil)
	case f.rec.state == queue.Running && f.rec.token == l.Token && f.rec.claim.Lease(l.Job.ID, l.Token) == l.ID:
		return nil
	}
	s, _ := readStory(f.told)
	if f.rec.state == queue.Cancelled && s.reason == queue.ReasonCancelled {
		return answer(op, &l, true, &reader{b: []byte("X")})
	}
	return &queue.Error{Op: op, Subject: l.Job.ID.String(), Reason: queue.ErrLeaseLost, Detail: fmt.Sprintf("the lease has token %d; the job is %s at token %d", l.Token, f.rec.state, f.rec.token)}
}

// only keeps the leases of a transaction to one queue: a script has that queue's keys first.
func (t *Tx) only(op, name string) error {
	if t.settles != "" && t.settles != name {
		return &queue.Error{Op: op, Subject: "queue " + name, Reason: queue.ErrInvalid, Detail: "the transaction is of jobs of queue " + t.settles, Remedy: "use one transaction for each queue"}
	}
	t.settles = name
	return nil
}

// Settle implements [queue.Tx].
func (t *Tx) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	if err := t.usable(ctx, "settle", len(t.ends)+len(ends)); err != nil {
		return nil, err
	}
	ends, err := t.e.sealed(ctx, ends)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(ends))
	for i, s := range ends {
		if errs[i] = s.Check(); errs[i] != nil {
			continue
		}
		if errs[i] = t.held(ctx, "settle", s.Lease); errs[i] == nil {
			errs[i] = t.only("settle", s.Lease.Job.Queue)
		}
		for _, earlier := range t.ends {
			if errs[i] == nil && earlier.Lease.ID == s.Lease.ID {
				errs[i] = &queue.Error{Op: "settle", Subject: s.Lease.Job.ID.String(), Reason: queue.ErrLeaseLost, Detail: "this transaction has settled it"}
			}
		}
		if errs[i] != nil {
			continue
		}
		next, err := t.Enqueue(ctx, s.Next...)
		if err != nil {
			return nil, err
		}
		for _, r := range next {
			if r.Err != nil {
				errs[i] = refusedNext(s, r.Err)
			}
		}
		if errs[i] == nil {
			t.ends = append(t.ends, s)
		}
	}
	return errs, nil
}

func (t *Tx) usable(ctx context.Context, op string, n int) error {
	if t.over {
		return &queue.Error{Op: op, Subject: "redis", Reason: queue.ErrInvalid, Detail: "the transaction is over", Remedy: "begin another"}
	}
	if err := fits(op, n); err != nil {
		return err
	}
	return t.e.usable(ctx, op)
}

// Commit carries everything out, or nothing. It fails with ErrLeaseLost where a lease was lost meanwhile, and with
// ErrUnavailable where a job's receipt would be another by now: run the whole again. So do after ErrUnknownOutcome:
// jobs are known by their ids, and a lease that was settled is lost; a change beside them must know itself.
func (t *Tx) Commit(ctx context.Context) error {
	if err := t.usable(ctx, "commit", 0); err != nil {
		return err
	}
	t.over = true
	names := []string{t.settles}
	need := map[string][]laneKey{}
	for _, p := range t.jobs {
		if names[0] == "" {
			names[0] = p.job.Queue
		}
		if !slices.Contains(names, p.job.Queue) {
			names = append(names, p.job.Queue)
		}
		if !slices.Contains(need[p.job.Queue], p.lane) {
			need[p.job.Queue] = append(need[p.job.Queue], p.lane)
		}
	}
	switch {
	case names[0] == "" && t.change == "":
		return nil
	case names[0] == "":
		return &queue.Error{Op: "commit", Subject: "redis", Reason: queue.ErrInvalid, Detail: "there is a change, and no job beside it", Remedy: "run the script by itself"}
	case len(names) > 1 && t.e.server.Cluster:
		return &queue.Error{Op: "commit", Subject: "redis", Reason: queue.ErrInvalid, Detail: "it is of queues " + strings.Join(names, ", ") + ", which are on different nodes of the cluster",
			Remedy: "let a job of one queue enqueue the other: as one that follows it"}
	}
	for range staleAtMost {
		lines := make([]*line, len(names))
		for i, name := range names {
			l, err := t.e.line(ctx, name, true, need[name]...)
			if err != nil {
				return translated("commit", err)
			}
			lines[i] = l
		}
		answer, err := t.e.run(ctx, t.call(ctx, names, lines))[0].AsBytes()
		if err != nil {
			return translated("commit", err)
		}
		if string(answer) != stale {
			return t.outcome(answer)
		}
		for _, name := range names {
			if _, err := t.e.reload(ctx, name, true, need[name]...); err != nil {
				return translated("commit", err)
			}
		}
	}
	return errUnsteady(names[0])
}

// call makes the script's call.
func (t *Tx) call(ctx context.Context, names []string, lines []*line) call {
	args := []string{span(t.e.cfg.UniqueFor), digits(len(t.holds)), digits(len(t.ends)), digits(len(t.jobs))}
	leased := func(l queue.Lease) {
		claim := t.e.claimOf(ctx, &l)
		args = append(args, rueidis.BinaryString(l.Job.ID[:]), rueidis.BinaryString(claim[:]), digits(l.Token))
	}
	for _, l := range t.holds {
		leased(l)
	}
	for i := range t.ends {
		leased(t.ends[i].Lease)
		args = append(args, t.e.headOf(&t.ends[i]), t.e.textsOf(&t.ends[i]))
	}
	for i := range t.jobs {
		p := &t.jobs[i]
		to := slices.Index(names, p.job.Queue)
		args = append(args, digits(to+1), string(t.told[i]), p.packed(lines[to].lanes[p.lane]))
	}
	c := t.e.joint(committing("commit", t.change, func(change string) *script { return transition("commit", settlementText+"\n"+change+commitText) }), lines, args...)
	if t.change != "" {
		c.args = append(append(c.args, digits(len(c.keys))), t.args...)
		c.keys = append(slices.Clip(c.keys), t.keys...)
	}
	return c
}

// outcome reads what the script says.
func (t *Tx) outcome(said []byte) error {
	switch {
	case string(said) == "E":
		return nil
	case string(said) == "changed" || len(said) < 3:
		return &queue.Error{Op: "commit", Subject: "redis", Reason: queue.ErrUnavailable, Detail: "a job that it enqueues was enqueued by another meanwhile, or has ended",
			Remedy: "nothing was changed: run the whole transaction again"}
	}
	i := int(said[0])<<8 + int(said[1]) - 1
	var leases []queue.Lease
	leases = append(leases, t.holds...)
	for _, s := range t.ends {
		leases = append(leases, s.Lease)
	}
	return answer("commit", &leases[min(i, len(leases)-1)], true, &reader{b: said[2:]})
}

// Rollback forgets everything.
func (t *Tx) Rollback() { t.over = true }
