package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"slices"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Ledger keeps effects in the engine's file. All methods may be called concurrently.
type Ledger struct {
	e      *Engine
	fenced bool // the jobs are in this file: an effect needs the held lease
	owns   bool // the engine was opened for it
}

var _ ledger.Store = (*Ledger)(nil)

// Ledger is the ledger beside this engine's jobs: an effect needs the held lease, in the same write.
func (e *Engine) Ledger() *Ledger { return &Ledger{e: e, fenced: true} }

// LedgerApart is the ledger in this engine's file for jobs that another engine keeps: then the unique key, the seal and
// the mark are the fence.
func (e *Engine) LedgerApart() *Ledger { return &Ledger{e: e} }

// OpenLedger opens a ledger beside the application's data, for jobs that are kept by an engine elsewhere:
// then the unique key, the seal and the mark are the fence. It fails as [Open] does.
func OpenLedger(path string, cfg Config) (*Ledger, error) {
	e, err := Open(path, cfg)
	if err != nil {
		return nil, err
	}
	return &Ledger{e: e, owns: true}, nil
}

// Close closes a ledger of [OpenLedger]; one of an engine goes with its engine.
func (l *Ledger) Close() error {
	if !l.owns {
		return nil
	}
	return l.e.Close()
}

// Atomically is [Engine.Atomically] on the ledger's file.
func (l *Ledger) Atomically(ctx context.Context, fn func(ctx context.Context, tx queue.SQL) error) error {
	return l.e.Atomically(ctx, fn)
}

// In is the ledger inside a transaction of the application on the same file, for [ledger.Within].
func (l *Ledger) In(tx queue.SQL) ledger.Tx { return &ledgerTx{l, l.e.In(tx).(*inside)} }

// entry is a row of twice_effect.
type entry struct {
	ledger.Entry
	alone ledger.TryID
}

const effectColumns = "step, state, fingerprint, token, result, first_sent, fresh_at, alone, who, why, answered"

func (t *txn) scanEffect(job queue.ID, r []driver.Value) entry {
	e := entry{Entry: ledger.Entry{
		Key: ledger.Key{Job: job, Step: text(r[0])}, State: ledger.State(text(r[1])), Fingerprint: uint64(number(r[2])), Token: number(r[3]),
		Result: bytesOf(r[4]), FirstSentAt: instant(number(r[5])), FreshAt: instant(number(r[6])), Now: instant(t.now),
		Answered: queue.Actor{Name: text(r[8]), Why: text(r[9])}, AnsweredAt: instant(number(r[10])),
	}}
	b, _ := r[7].([]byte)
	copy(e.alone[:], b)
	return e
}

func (t *txn) effect(key ledger.Key) (found *entry, err error) {
	err = t.s.query("SELECT "+effectColumns+" FROM twice_effect WHERE job = ? AND step = ?", func(r []driver.Value) error {
		e := t.scanEffect(key.Job, r)
		found = &e
		return nil
	}, key.Job[:], key.Step)
	return found, err
}

func (t *txn) effects(job queue.ID) (all []ledger.Entry, err error) {
	err = t.s.query("SELECT "+effectColumns+" FROM twice_effect WHERE job = ? ORDER BY step", func(r []driver.Value) error {
		all = append(all, t.scanEffect(job, r).Entry)
		return nil
	}, job[:])
	return all, err
}

func (t *txn) saveEffect(e *entry) error {
	var alone driver.Value
	if e.alone != (ledger.TryID{}) {
		alone = e.alone[:]
	}
	_, err := t.s.exec(`INSERT INTO twice_effect(job, `+effectColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (job, step) DO UPDATE SET state = excluded.state, fingerprint = excluded.fingerprint, token = excluded.token, result = excluded.result,
		first_sent = excluded.first_sent, fresh_at = excluded.fresh_at, alone = excluded.alone, who = excluded.who, why = excluded.why, answered = excluded.answered`,
		e.Key.Job[:], e.Key.Step, string(e.State), int64(e.Fingerprint), e.Token, nullBytes(e.Result), millis(e.FirstSentAt), millis(e.FreshAt),
		alone, null(e.Answered.Name), null(e.Answered.Why), null(millis(e.AnsweredAt)))
	return err
}

// see leaves a try's token and freshness on an entry: it is not swept under that try's feet.
func (e *entry) see(try ledger.Try) {
	e.Token = max(e.Token, try.Lease.Token)
	if try.Lease.FreshAt.After(e.FreshAt) {
		e.FreshAt = try.Lease.FreshAt
	}
}

// refusal says why a try may make no effect any more.
func (l *Ledger) refusal(t *txn, op string, try ledger.Try) (refused, err error) {
	seal, err := one(t.s, "SELECT token FROM twice_seal WHERE job = ?", try.Lease.Job.ID[:])
	if err != nil {
		return nil, err
	}
	if seal != nil && try.Lease.Token <= number(seal) {
		return ledger.RefuseSealed(op, try, number(seal)), nil
	}
	mark, err := one(t.s, "SELECT mark FROM twice_ledger")
	if err != nil {
		return nil, err
	}
	if number(mark) > 0 && millis(try.Lease.FreshAt) <= number(mark) {
		return ledger.RefuseStale(op, try, instant(number(mark))), nil
	}
	if l.fenced {
		err := t.hold(try.Lease)
		if refused, ok := err.(*queue.Error); ok {
			return refused, nil
		}
		return nil, err
	}
	return nil, nil
}

// guarded runs write unless the try is refused: check and write are one transaction.
func (l *Ledger) guarded(ctx context.Context, op string, try ledger.Try, write func(*txn) error) error {
	return l.e.write(ctx, op, phaseOther, func(t *txn) error {
		if err := l.allowed(t, op, try); err != nil {
			return err
		}
		return write(t)
	})
}

func (l *Ledger) allowed(t *txn, op string, try ledger.Try) error {
	refused, err := l.refusal(t, op, try)
	return cmp.Or(refused, err)
}

// Intend implements [ledger.Store].
func (l *Ledger) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	return written(ctx, l.e, "intend", phaseOther, func(t *txn) (out ledger.Entry, err error) {
		e, err := t.effect(try.Key())
		if err != nil {
			return out, err
		}
		refused, err := l.refusal(t, "intend", try)
		switch {
		case err != nil:
			return out, err
		case e != nil && e.State == ledger.Confirmed && refused != nil && !e.Differs(try):
			return e.Entry, nil
		case refused != nil:
			return out, refused
		case e != nil && e.Differs(try):
			return out, ledger.RefuseOther("intend", try, e.Entry)
		case e == nil:
			e = &entry{Entry: ledger.Entry{Key: try.Key(), Fingerprint: try.Fingerprint, Now: instant(t.now)}}
			fallthrough
		case e.State == ledger.Denied:
			e.State, e.FirstSentAt, e.alone = ledger.Pending, instant(t.now), try.ID
		case e.alone != try.ID:
			e.alone = ledger.TryID{} // another sees it: nobody can withdraw it any more
		}
		e.see(try)
		out = e.Entry
		out.Mine = e.State == ledger.Pending && e.alone == try.ID && e.alone != ledger.TryID{}
		return out, t.saveEffect(e)
	})
}

// Confirm implements [ledger.Store].
func (l *Ledger) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	return l.guarded(ctx, "confirm", try, func(t *txn) error {
		e, err := t.effect(try.Key())
		switch {
		case err != nil:
			return err
		case e == nil:
			return ledger.RefuseState("confirm", try.Key(), "")
		case e.State == ledger.Confirmed && !bytes.Equal(e.Result, result):
			return ledger.RefuseState("confirm", try.Key(), e.State)
		}
		e.State, e.Result, e.alone = ledger.Confirmed, result, ledger.TryID{}
		e.see(try)
		return t.saveEffect(e)
	})
}

// Doubt implements [ledger.Store].
func (l *Ledger) Doubt(ctx context.Context, try ledger.Try) error {
	return l.guarded(ctx, "doubt", try, func(t *txn) error {
		e, err := t.effect(try.Key())
		switch {
		case err != nil:
			return err
		case e == nil:
			return ledger.RefuseState("doubt", try.Key(), "")
		case e.State != ledger.Pending && e.State != ledger.Unknown:
			return ledger.RefuseState("doubt", try.Key(), e.State)
		}
		e.State, e.alone = ledger.Unknown, ledger.TryID{}
		e.see(try)
		return t.saveEffect(e)
	})
}

// Withdraw implements [ledger.Store].
func (l *Ledger) Withdraw(ctx context.Context, try ledger.Try) (bool, error) {
	return written(ctx, l.e, "withdraw", phaseOther, func(t *txn) (gone bool, err error) {
		if err := l.allowed(t, "withdraw", try); err != nil {
			return false, err
		}
		e, err := t.effect(try.Key())
		switch {
		case err != nil:
			return false, err
		case e == nil:
			return true, nil
		case e.State != ledger.Pending || e.alone != try.ID || e.alone == ledger.TryID{}:
			return false, nil
		case e.DeniedBefore(): // a person's word stays listed
			e.State, e.alone = ledger.Denied, ledger.TryID{}
			return true, t.saveEffect(e)
		}
		_, err = t.s.exec("DELETE FROM twice_effect WHERE job = ? AND step = ?", e.Key.Job[:], e.Key.Step)
		return true, err
	})
}

// Seal implements [ledger.Store].
func (l *Ledger) Seal(ctx context.Context, job queue.ID, token int64) ([]queue.Effect, error) {
	return written(ctx, l.e, "seal", phaseOther, func(t *txn) ([]queue.Effect, error) { return t.sealed(job, token) })
}

// sealed bars the job's effects up to a token and lists those there are.
func (t *txn) sealed(job queue.ID, token int64) ([]queue.Effect, error) {
	if _, err := t.s.exec("INSERT INTO twice_seal(job, token, at) VALUES (?, ?, ?) ON CONFLICT (job) DO UPDATE SET token = max(token, excluded.token), at = excluded.at",
		job[:], token, t.now); err != nil {
		return nil, err
	}
	entries, err := t.effects(job)
	return ledger.List(entries), err
}

// Entries implements [ledger.Store].
func (l *Ledger) Entries(ctx context.Context, job queue.ID) (all []ledger.Entry, err error) {
	err = l.e.read(ctx, "entries", func(t *txn) (err error) {
		all, err = t.effects(job)
		return err
	})
	return all, err
}

// Answer implements [ledger.Store].
func (l *Ledger) Answer(ctx context.Context, by queue.Actor, key ledger.Key, happened bool, result []byte) error {
	if err := by.Check("answer"); err != nil {
		return err
	}
	return l.e.write(ctx, "answer", phaseOther, func(t *txn) error {
		e, err := t.effect(key)
		switch {
		case err != nil:
			return err
		case e == nil:
			return &queue.Error{Op: "answer", Subject: key.String(), Reason: queue.ErrNotFound, Detail: "the ledger has no such effect"}
		case e.State == ledger.Denied && !happened, e.State == ledger.Confirmed && happened && bytes.Equal(e.Result, result):
			return nil
		case e.State != ledger.Pending && e.State != ledger.Unknown:
			return ledger.RefuseState("answer", key, e.State)
		}
		e.State, e.Result = ledger.Denied, nil
		if happened {
			e.State, e.Result = ledger.Confirmed, result
		}
		e.alone, e.Answered, e.AnsweredAt = ledger.TryID{}, by, instant(t.now)
		return t.saveEffect(e)
	})
}

// MoveMark implements [ledger.Store].
func (l *Ledger) MoveMark(ctx context.Context, to time.Time) error {
	return l.e.write(ctx, "move mark", phaseOther, func(t *txn) error {
		_, err := t.s.exec("UPDATE twice_ledger SET mark = max(mark, ?)", min(millis(to), t.now-l.e.cfg.KeepFor.Milliseconds()))
		return err
	})
}

// askAtOnce is how many jobs a sweep asks the engine about at a time.
const askAtOnce = 100

// over selects the jobs of which everything is at or before the mark, after one id, with their highest token.
const over = `SELECT job, max(token) FROM (
		SELECT job, token, fresh_at AS at FROM twice_effect WHERE job > ?1
		UNION ALL SELECT job, token, at FROM twice_seal WHERE job > ?1)
	GROUP BY job HAVING max(at) <= (SELECT mark FROM twice_ledger) AND (SELECT mark FROM twice_ledger) > 0 ORDER BY job LIMIT ?2`

// Sweep implements [ledger.Store].
func (l *Ledger) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (swept int, err error) {
	after := queue.ID{}
	for swept < limit {
		var ids []queue.ID
		tokens := map[queue.ID]int64{}
		err := l.e.read(ctx, "sweep", func(t *txn) error {
			return t.s.query(over, func(r []driver.Value) error {
				id := idOf(r[0])
				ids, tokens[id] = append(ids, id), number(r[1])
				return nil
			}, after[:], int64(min(askAtOnce, limit-swept)))
		})
		if err != nil || len(ids) == 0 {
			return swept, err
		}
		after = ids[len(ids)-1]
		gone, err := forgotten(ctx, ids)
		if err != nil {
			return swept, err
		}
		if len(gone) != len(ids) {
			return swept, &queue.Error{Op: "sweep", Subject: l.e.path, Reason: queue.ErrInvalid, Detail: "the engine answered for another number of jobs"}
		}
		var dropped int
		err = l.e.write(ctx, "sweep", phaseOther, func(t *txn) error {
			dropped = 0
			for i, id := range ids {
				if !gone[i] {
					continue
				}
				ok, err := t.sweep(id, tokens[id])
				if err != nil {
					return err
				}
				if ok {
					dropped++
				}
			}
			return nil
		})
		if err != nil {
			return swept, err
		}
		swept += dropped
	}
	return swept, nil
}

// sweep deletes what is held of a job, unless more came since it was looked at.
func (t *txn) sweep(id queue.ID, token int64) (bool, error) {
	more, err := one(t.s, `SELECT EXISTS (SELECT 1 FROM twice_effect, twice_ledger WHERE job = ?1 AND (token > ?2 OR fresh_at > mark))
		OR EXISTS (SELECT 1 FROM twice_seal, twice_ledger WHERE job = ?1 AND (token > ?2 OR at > mark))`, id[:], token)
	if err != nil || number(more) != 0 {
		return false, err
	}
	for _, table := range []string{"twice_effect", "twice_seal"} {
		if _, err := t.s.exec("DELETE FROM "+table+" WHERE job = ?", id[:]); err != nil {
			return false, err
		}
	}
	return true, nil
}

// ledgerTx is the ledger inside a transaction of the caller's.
type ledgerTx struct {
	l  *Ledger
	in *inside
}

// Recorded implements [ledger.Tx].
func (x *ledgerTx) Recorded(ctx context.Context, try ledger.Try) (out ledger.Entry, found bool, err error) {
	err = x.in.with(ctx, func(t *txn) error {
		e, err := t.effect(try.Key())
		if err != nil {
			return err
		}
		refused, err := x.l.refusal(t, "effect", try)
		switch {
		case err != nil:
			return err
		case e == nil:
			return refused
		case e.State != ledger.Confirmed:
			return cmp.Or(refused, ledger.RefuseState("effect", try.Key(), e.State))
		case e.Differs(try):
			return ledger.RefuseOther("effect", try, e.Entry)
		}
		out, found = e.Entry, true
		if refused != nil {
			return nil
		}
		e.see(try)
		return t.saveEffect(e)
	})
	return out, found, err
}

// Record implements [ledger.Tx].
func (x *ledgerTx) Record(ctx context.Context, try ledger.Try, result []byte) error {
	return x.in.with(ctx, func(t *txn) error {
		refused, err := x.l.refusal(t, "record", try)
		if err != nil {
			return err
		}
		if refused != nil {
			return refused
		}
		e, err := t.effect(try.Key())
		if err != nil {
			return err
		}
		if e != nil {
			return ledger.RefuseState("record", try.Key(), e.State)
		}
		e = &entry{Entry: ledger.Entry{Key: try.Key(), State: ledger.Confirmed, Fingerprint: try.Fingerprint, Result: slices.Clone(result), FirstSentAt: instant(t.now)}}
		e.see(try)
		return t.saveEffect(e)
	})
}
