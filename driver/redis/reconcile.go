package redis

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Repaired is what Reconcile put right in one queue.
type Repaired struct {
	Queue  string
	Jobs   int  // stood where their records do not say: they were put where they belong
	Counts bool // the counts did not agree with the jobs
}

// Reconcile compares each queue's index with its records, which are the truth, and puts right what does not agree.
// Nothing here makes such a disagreement; what a person deletes, or a server loses in part, may. It reads every job,
// some at a time, and the queue is used meanwhile. What it repairs is counted as orphaned, and logged. Workers run
// it as they prune, one at a time, every Config.ReconcileEvery.
func (e *Engine) Reconcile(ctx context.Context) ([]Repaired, error) {
	if err := e.usable(ctx, "reconcile"); err != nil {
		return nil, err
	}
	names, err := e.all(ctx)
	if err != nil {
		return nil, translated("reconcile", err)
	}
	var all []Repaired
	for _, name := range names {
		r, err := e.reconcile(ctx, name)
		if err != nil {
			return all, translated("reconcile", err)
		}
		if r.Jobs > 0 || r.Counts {
			all = append(all, r)
			e.cfg.Logger.Error("a queue's index did not agree with its jobs: repaired", "queue", name, "jobs", r.Jobs, "counts", r.Counts)
		}
	}
	return all, nil
}

func (e *Engine) reconcile(ctx context.Context, name string) (Repaired, error) {
	out := Repaired{Queue: name}
	// Where only the queue's own state is gone, its jobs are not: it is begun anew around them.
	l, err := e.reload(ctx, name, true)
	if err != nil {
		return out, err
	}
	now, err := e.now(ctx)
	if err != nil {
		return out, err
	}
	in, err := e.snapshot(ctx, l)
	if err != nil {
		return out, err
	}
	states := map[queue.ID]queue.State{}
	var page []queue.ID
	var recs []record
	look := func() error {
		lost, err := e.misplaced(ctx, l, page, recs, in, now)
		if err == nil {
			err = e.heal(ctx, &out, lost...)
		}
		page, recs = page[:0], recs[:0]
		return err
	}
	err = e.scan(ctx, name, func(_ *line, id queue.ID, raw []byte) error {
		rec, err := readRecord(raw)
		if err != nil || states[id] != 0 {
			return nil // the audit tells of what cannot be read
		}
		states[id] = rec.state
		if page, recs = append(page, id), append(recs, rec); len(page) < 1000 {
			return nil
		}
		return look()
	})
	if err == nil {
		err = look()
	}
	if err == nil {
		err = e.strays(ctx, l, states, &out)
	}
	if err == nil {
		out.Counts, err = e.recount(ctx, l)
	}
	if err == nil {
		_, err = e.healing(ctx, name, nil) // what is stale is counted anew
	}
	return out, err
}

// recountTries is how often a scan is tried during which nothing must be written.
const recountTries = 3

// recount compares the counts with the jobs, and reports whether it set them right. In a busy queue it cannot: what it
// found has changed meanwhile.
func (e *Engine) recount(ctx context.Context, l *line) (bool, error) {
	for range recountTries {
		before, err := e.client.Do(ctx, e.client.B().Get().Key(l.keys[0]).Build()).AsBytes()
		if err != nil {
			return false, ignoreNil(err)
		}
		s := readState(before)
		if s == nil {
			return false, damaged("reconcile", queue.ID{}, errShort)
		}
		states := map[queue.ID]queue.State{}
		var tally [queue.Cancelled + 1]int64
		floor, last, nth := s.floor, s.last, s.nth
		err = e.scan(ctx, l.name, func(_ *line, id queue.ID, raw []byte) error {
			rec, err := readRecord(raw)
			if err != nil || states[id] != 0 {
				return nil
			}
			states[id] = rec.state
			tally[rec.state]++
			if rec.born > last || rec.born == last && rec.nth > nth {
				last, nth = rec.born, rec.nth
			}
			return nil
		})
		if err != nil || [...]int64{s.accepted - s.pruned, s.queued, s.running, s.done, s.dead, s.cancelled} ==
			[...]int64{int64(len(states)), tally[queue.Queued], tally[queue.Running], tally[queue.Done], tally[queue.Dead], tally[queue.Cancelled]} {
			return false, err
		}
		if s.accepted == 0 { // the state itself is gone: no token may come again
			err = e.scan(ctx, l.name, func(_ *line, _ queue.ID, raw []byte) error {
				rec, err := readRecord(raw)
				if err == nil {
					floor = max(floor, rec.token+1)
				}
				return nil
			})
			if err != nil {
				return false, err
			}
		}
		answer, _, err := e.on(ctx, countScript, l.name, false, nil, func(*line) []string {
			args := []string{rueidis.BinaryString(before)}
			for _, n := range []int64{tally[queue.Queued], tally[queue.Running], tally[queue.Done], tally[queue.Dead], tally[queue.Cancelled], floor, last, nth} {
				args = append(args, digits(n))
			}
			return args
		})
		if err != nil || string(answer) == "E" {
			return err == nil, err
		}
	}
	return false, nil
}

// snapshot is what a queue's lists hold at a moment, and which jobs stand together with others of their claim.
type snapshot struct {
	due, ended map[queue.ID]bool
	together   map[queue.ID]queue.ClaimID
}

func (e *Engine) snapshot(ctx context.Context, l *line) (snapshot, error) {
	read := func(into map[queue.ID]bool, skip int, keys ...string) error {
		for _, key := range keys {
			items, err := e.client.Do(ctx, e.client.B().Lrange().Key(key).Start(0).Stop(-1).Build()).AsStrSlice()
			if err != nil {
				return err
			}
			for _, it := range items {
				var id queue.ID
				for from := skip; from+len(id) <= len(it); from += len(id) {
					copy(id[:], it[from:])
					into[id] = true
				}
			}
		}
		return nil
	}
	in := snapshot{map[queue.ID]bool{}, map[queue.ID]bool{}, map[queue.ID]queue.ClaimID{}}
	groups, err := e.client.Do(ctx, e.client.B().Zrange().Key(e.key(l.name, "g")).Min("0").Max("-1").Build()).AsStrSlice()
	if err != nil {
		return in, err
	}
	for _, claim := range groups {
		all, err := e.client.Do(ctx, e.client.B().Hget().Key(e.key(l.name, "i")).Field(claim).Build()).AsBytes()
		if ignoreNil(err) != nil {
			return in, err
		}
		for ; len(all) >= len(queue.ID{}) && len(claim) == len(queue.ClaimID{}); all = all[len(queue.ID{}):] {
			in.together[queue.ID(all[:16])] = queue.ClaimID([]byte(claim))
		}
	}
	if err := read(in.due, 0, l.keys[len(fixed):]...); err != nil {
		return in, err
	}
	const time = 6 // bytes, before the ids of what has ended
	return in, read(in.ended, time, e.key(l.name, "p"))
}

// misplaced gives the jobs of a page that seem to stand where their records do not say: they are looked at again.
func (e *Engine) misplaced(ctx context.Context, l *line, page []queue.ID, recs []record, in snapshot, now int64) ([]queue.ID, error) {
	var lost []queue.ID
	asked := map[string][]int{}
	members := map[string][]string{}
	ask := func(what string, i int, member []byte) {
		asked[what] = append(asked[what], i)
		members[what] = append(members[what], rueidis.BinaryString(member))
	}
	for i := range page {
		r, id := &recs[i], page[i]
		switch {
		case r.state == queue.Queued && r.at <= now && in.due[id]:
		case r.state == queue.Queued:
			ask("d", i, append(r.order(), id[:]...))
		case r.state == queue.Running && r.claim != queue.ClaimID{} && in.together[id] == r.claim:
		case r.state == queue.Running:
			ask("l", i, id[:])
		case r.state == queue.Dead:
			ask("x", i, id[:])
		case !in.ended[id]:
			ask("k", i, id[:])
		}
	}
	for what, of := range asked {
		scores, err := e.client.Do(ctx, e.client.B().Zmscore().Key(e.key(l.name, what)).Member(members[what]...).Build()).ToArray()
		if err != nil {
			return nil, err
		}
		for n, i := range of {
			score, err := scores[n].AsFloat64()
			there := err == nil
			if what == "d" || what == "l" {
				at := int64(score)
				there = there && (at == recs[i].at || at == recs[i].at+away && in.due[page[i]])
			}
			if !there {
				lost = append(lost, page[i])
			}
		}
	}
	return lost, nil
}

// away is AWAY of script/queue.lua.
const away = 1 << 52

func (r *record) order() []byte {
	b := make([]byte, 9)
	for i := range 6 {
		b[i] = byte(r.born >> (8 * (5 - i)))
	}
	b[6], b[7], b[8] = byte(r.nth>>16), byte(r.nth>>8), byte(r.nth)
	return b
}

// strays heals what stands in a sorted set and should not.
func (e *Engine) strays(ctx context.Context, l *line, states map[queue.ID]queue.State, out *Repaired) error {
	for _, what := range []string{"d", "l", "x", "k"} {
		for cursor := uint64(0); ; {
			some, err := e.client.Do(ctx, e.client.B().Zscan().Key(e.key(l.name, what)).Cursor(cursor).Count(1000).Build()).AsScanEntry()
			if err != nil {
				return err
			}
			var lost []string
			for i := 0; i+1 < len(some.Elements); i += 2 {
				member := some.Elements[i]
				var id queue.ID
				copy(id[:], member[max(0, len(member)-len(id)):])
				if state := states[id]; state == 0 || what == "d" && state != queue.Queued {
					lost = append(lost, member)
				}
			}
			if err := e.healEach(ctx, out, lost); err != nil {
				return err
			}
			if cursor = some.Cursor; cursor == 0 {
				break
			}
		}
	}
	return nil
}

func (e *Engine) heal(ctx context.Context, out *Repaired, ids ...queue.ID) error {
	items := make([]string, len(ids))
	for i := range ids {
		items[i] = rueidis.BinaryString(ids[i][:])
	}
	return e.healEach(ctx, out, items)
}

// healAtOnce bounds one script, which may look through a whole list for each job.
const healAtOnce = 50

// healEach looks again at jobs in the queue itself, and adds how many it put right.
func (e *Engine) healEach(ctx context.Context, out *Repaired, items []string) error {
	for len(items) > 0 {
		some := items[:min(len(items), healAtOnce)]
		items = items[len(some):]
		n, err := e.healing(ctx, out.Queue, some)
		if err != nil {
			return err
		}
		out.Jobs += n
	}
	return nil
}

func (e *Engine) healing(ctx context.Context, name string, items []string) (int, error) {
	answer, _, err := e.on(ctx, healScript, name, false, nil, func(*line) []string {
		return append([]string{digits(len(items))}, items...)
	})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(answer))
}

// reconcileInTurn reconciles where it is time and no other process does.
func (e *Engine) reconcileInTurn(ctx context.Context) {
	every := e.cfg.ReconcileEvery
	if last := e.reconciled.Load(); every <= 0 || time.Since(time.Unix(0, last)) < every {
		return
	}
	e.reconciled.Store(time.Now().UnixNano())
	mine := e.client.B().Set().Key(e.cfg.Prefix + ":reconciled").Value("1").Nx().PxMilliseconds(min(every.Milliseconds(), math.MaxInt32)).Build()
	if e.client.Do(ctx, mine).Error() != nil { // another did, or will say what is wrong
		return
	}
	if _, err := e.Reconcile(ctx); err != nil {
		e.cfg.Logger.Warn("reconciling failed: it is tried again", "error", err, "in", every)
	}
}
