package redis

import (
	"context"
	"slices"
	"sync"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// LedgerTx gathers records and a change of Redis's own data, which Commit makes in one script. It serves one goroutine.
type LedgerTx struct {
	l       *Ledger
	try     ledger.Try
	steps   []string
	results [][]byte
	change  string
	keys    []string
	args    []string
}

var _ ledger.Tx = (*LedgerTx)(nil)

// Begin opens a transaction. Until Commit nobody sees what it does, and nothing has to be undone.
func (l *Ledger) Begin() *LedgerTx { return &LedgerTx{l: l} }

// Change sets what is to be changed: a Lua script with its KEYS and ARGV, run before the records are written. Redis
// undoes nothing of a script that fails midway: so it should look first, call error() where it must not go on, and
// only then write. One transaction has one change.
func (t *LedgerTx) Change(script string, keys []string, args ...string) {
	t.change, t.keys, t.args = script, keys, args
}

// Recorded implements [ledger.Tx].
func (t *LedgerTx) Recorded(ctx context.Context, try ledger.Try) (ledger.Entry, bool, error) {
	if i := slices.Index(t.steps, try.Step); i >= 0 && t.try.Lease.Job.ID == try.Lease.Job.ID {
		return ledger.Entry{Key: try.Key(), State: ledger.Confirmed, Result: slices.Clone(t.results[i])}, true, nil
	}
	status, r, err := t.l.do(ctx, "effect", t.l.tried(ctx, recordedScript, try))
	switch {
	case err != nil || status == 'N':
		return ledger.Entry{}, false, err
	case status != 'E':
		return ledger.Entry{}, false, t.l.refused("effect", try, status, r)
	}
	return readAnswer(try.Key(), r), true, nil
}

// Record implements [ledger.Tx]. A transaction is of one attempt. That nobody recorded the effect meanwhile shows at Commit.
func (t *LedgerTx) Record(_ context.Context, try ledger.Try, result []byte) error {
	if len(t.steps) > 0 && t.try.Lease.ID != try.Lease.ID {
		return &queue.Error{Op: "record", Subject: try.Key().String(), Reason: queue.ErrInvalid, Detail: "a transaction is of one attempt"}
	}
	t.try = try
	t.steps, t.results = append(t.steps, try.Step), append(t.results, slices.Clone(result))
	return nil
}

// Commit makes everything at once, or fails and makes nothing. ErrState: another has recorded the effect meanwhile.
// After ErrUnknownOutcome run the whole again: what was recorded is found.
func (t *LedgerTx) Commit(ctx context.Context) error {
	if len(t.steps) == 0 && t.change == "" {
		return nil
	}
	if len(t.steps) == 0 {
		return &queue.Error{Op: "commit", Subject: "redis", Reason: queue.ErrInvalid, Detail: "there is a change, and no effect that it is recorded as",
			Remedy: "make the change inside ledger.Within"}
	}
	more := []string{digits(len(t.steps))}
	for i, step := range t.steps {
		more = append(more, step, rueidis.BinaryString(t.results[i]))
	}
	where, fence := "ledger beside its jobs", ""
	if !t.l.fenced {
		where, fence = "ledger", "J = nil\n"
	}
	c := t.l.tried(ctx, committing(where, t.change, func(change string) *script {
		return transitionOf("commit", ledgerText+"\n"+change+fence+"return actions.commit(change)\n")
	}), t.try, more...)
	if t.change != "" {
		// The change's keys come last: how many are before them the script is told.
		c.args = append(c.args, digits(len(c.keys)))
		c.args = append(c.args, t.args...)
		c.keys = append(c.keys, t.keys...)
	}
	status, r, err := t.l.do(ctx, "commit", c)
	if err != nil || status == 'E' {
		return err
	}
	return t.l.refused("commit", t.try, status, r)
}

// Rollback forgets everything.
func (t *LedgerTx) Rollback() { *t = LedgerTx{l: t.l} }

// Atomically runs fn with a transaction that it commits if fn returns nil.
func (l *Ledger) Atomically(ctx context.Context, fn func(tx *LedgerTx) error) error {
	tx := l.Begin()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// scripts are those that hold changes of callers: by where they commit, and the change.
var scripts sync.Map

// committing gives the script that commits a change there, and makes it the first time.
func committing(where, change string, make func(change string) *script) *script {
	key := [2]string{where, change}
	if known, ok := scripts.Load(key); ok {
		return known.(*script)
	}
	known, _ := scripts.LoadOrStore(key, make(changing(change)))
	return known.(*script)
}

// changing makes a function of a caller's change, with KEYS and ARGV of its own: those after the engine's, of which
// the next argument says how many there are.
func changing(change string) string {
	if change == "" {
		return "local change = nil\n"
	}
	return `local function theirs(KEYS, ARGV)
` + change + `
end
local function change(argn)
	local before, keys, args = tonumber(ARGV[argn + 1]), {}, {}
	for i = before + 1, #KEYS do keys[#keys + 1] = KEYS[i] end
	for i = argn + 2, #ARGV do args[#args + 1] = ARGV[i] end
	theirs(keys, args)
end
`
}
