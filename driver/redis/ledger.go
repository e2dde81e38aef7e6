package redis

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Ledger keeps effects in Redis, for those that are changes of Redis itself: the record and a script of the caller's
// commit together (Begin). All methods may be called concurrently. What it keeps is as durable as the server's
// persistence says: a server that forgets effects may let them happen again.
//
// Where jobs and effects are on one server, an effect needs the held lease, in the same script. In a cluster they are
// on different nodes: there the unique key, the seal and the mark are the fence.
type Ledger struct {
	e      *Engine
	fenced bool
	owns   bool
}

var _ ledger.Store = (*Ledger)(nil)

// Ledger is the ledger beside this engine's jobs.
func (e *Engine) Ledger() *Ledger { return &Ledger{e: e, fenced: !e.server.Cluster} }

// OpenLedger opens a ledger for jobs that are kept by an engine elsewhere. It fails as [Open] does.
func OpenLedger(ctx context.Context, url string, cfg Config) (*Ledger, error) {
	e, err := Open(ctx, url, cfg)
	if err != nil {
		return nil, err
	}
	return &Ledger{e: e, owns: true}, nil
}

// Close closes a ledger of [OpenLedger]; one of an engine goes with its engine.
func (l *Ledger) Close() error {
	if l.owns {
		return l.e.Close()
	}
	return nil
}

// parts is over how many hash tags the ledger is spread.
const parts = 16

// Tag is the hash tag of the keys that hold a job's effects. In a cluster a change that is to commit with a record
// may use only keys that have it.
func (l *Ledger) Tag(job queue.ID) string { return l.tag(int(job[0]) % parts) }

func (l *Ledger) tag(part int) string { return fmt.Sprintf("{%s:effects:%x}", l.e.cfg.Prefix, part) }

func (l *Ledger) keys(job queue.ID) []string {
	tag := l.Tag(job)
	return []string{tag + job.String(), tag + "fresh", tag + "mark", tag + "clock"}
}

//go:embed script/ledger.lua
var ledgerText string

// action is the script of one of the ledger's actions.
func action(name string) *script {
	return transitionOf("ledger "+name, ledgerText+"\nreturn actions."+name+"()\n")
}

var (
	intendScript   = action("intend")
	confirmScript  = action("confirm")
	doubtScript    = action("doubt")
	withdrawScript = action("withdraw")
	sealScript     = action("seal")
	entriesScript  = action("entries")
	answerScript   = action("answer")
	forgetScript   = action("mark")
	overScript     = action("over")
	dropScript     = action("drop")
	recordedScript = action("recorded")
)

// tried makes a script's call for a try.
func (l *Ledger) tried(ctx context.Context, s *script, try ledger.Try, more ...string) call {
	keys := l.keys(try.Lease.Job.ID)
	claim := ""
	if l.fenced {
		keys = append(keys, l.e.key(try.Lease.Job.Queue, "j"))
		id := l.e.claimOf(ctx, &try.Lease)
		claim = rueidis.BinaryString(id[:])
	}
	print := binary.BigEndian.AppendUint64(nil, try.Fingerprint)
	args := []string{l.e.preface()[0], rueidis.BinaryString(try.Lease.Job.ID[:]), try.Step, digits(try.Lease.Token), digits(milli(try.Lease.FreshAt)),
		rueidis.BinaryString(try.ID[:]), rueidis.BinaryString(print), claim}
	return call{s, keys, append(args, more...)}
}

// of makes one for a job.
func (l *Ledger) of(s *script, job queue.ID, step string, token int64, more ...string) call {
	args := []string{l.e.preface()[0], rueidis.BinaryString(job[:]), step, digits(token), "0", "", "", ""}
	return call{s, l.keys(job), append(args, more...)}
}

// do runs an action and gives its status and what follows it.
func (l *Ledger) do(ctx context.Context, op string, c call) (byte, *reader, error) {
	if err := l.e.usable(ctx, op); err != nil {
		return 0, nil, err
	}
	answer, err := l.e.run(ctx, c)[0].AsBytes()
	if err != nil {
		return 0, nil, translated(op, err)
	}
	if len(answer) == 0 {
		return 0, nil, errShort
	}
	return answer[0], &reader{b: answer[1:]}, nil
}

// refused reads a status that is not a success.
func (l *Ledger) refused(op string, try ledger.Try, status byte, r *reader) error {
	switch status {
	case 'S':
		return ledger.RefuseSealed(op, try, r.uint(5))
	case 'M':
		return ledger.RefuseStale(op, try, instant(r.uint(6)))
	case 'C':
		return ledger.RefuseOther(op, try, ledger.Entry{Fingerprint: uint64(r.uint(8))})
	case 'T':
		return ledger.RefuseState(op, try.Key(), stateNamed(r.uint(1)))
	}
	return answer(op, &try.Lease, true, &reader{b: append([]byte{status}, r.b...)})
}

func stateNamed(n int64) ledger.State {
	return [...]ledger.State{"", ledger.Pending, ledger.Confirmed, ledger.Unknown, ledger.Denied}[min(max(n, 0), 4)]
}

// readEntry reads an entry that an action answers.
func readEntry(key ledger.Key, now int64, r *reader) ledger.Entry {
	e := ledger.Entry{Key: key, Now: instant(now), State: stateNamed(r.uint(1)), Fingerprint: uint64(r.uint(8)), Token: r.uint(5),
		FirstSentAt: instant(r.uint(6)), FreshAt: instant(r.uint(6))}
	r.take(16)
	e.AnsweredAt = instant(r.uint(6))
	e.Answered = queue.Actor{Name: string(r.text()), Why: string(r.text())}
	e.Result = some(r.text())
	return e
}

func readAnswer(key ledger.Key, r *reader) ledger.Entry {
	now, mine := r.uint(6), r.uint(1) == 1
	e := readEntry(key, now, r)
	e.Mine = mine
	return e
}
