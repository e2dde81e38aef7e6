package sqlite

import (
	"database/sql/driver"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

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
