package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite/faultdisk"
	"github.com/twicehq/twice/driver/sqlite/internal/rig"
	"github.com/twicehq/twice/queue"
)

// refused opens what cannot be opened.
func refused(t *testing.T, path string, cfg Config, reason error) {
	t.Helper()
	within(t, 20*time.Second, "open", func() {
		e, err := Open(path, cfg)
		if err == nil {
			_ = e.Close()
		}
		var known *queue.Error
		if !errors.Is(err, reason) || !errors.As(err, &known) || known.Remedy == "" {
			t.Errorf("open: %v, want %v with a remedy", err, reason)
		}
	})
}

func TestOpenWhatIsNoQueue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, content, 0o644))
		return path
	}
	refused(t, file("text", bytes.Repeat([]byte("no database at all\n"), 1000)), Config{}, queue.ErrSchema)
	refused(t, file("short", []byte("hello")), Config{}, queue.ErrSchema)
	refused(t, dir, Config{}, queue.ErrUnavailable)
	refused(t, filepath.Join(dir, "missing", "q.db"), Config{}, queue.ErrUnavailable)
	refused(t, filepath.Join(dir, "text", "q.db"), Config{}, queue.ErrUnavailable)
	refused(t, "", Config{}, queue.ErrInvalid)
	refused(t, ":memory:", Config{}, queue.ErrInvalid)
	e := openAt(t, file("empty", nil), Config{}) // an empty file is a new database
	accept(t, e, named("a"))

	// A database cut off in the middle.
	path := filepath.Join(dir, "cut.db")
	e, err := Open(path, Config{})
	must(t, err)
	accept(t, e, jobs(0, 2000)...)
	must(t, e.Close())
	must(t, os.Truncate(path, 3*4096))
	within(t, 20*time.Second, "a database cut off", func() {
		e, err := Open(path, Config{Logger: silent})
		if err == nil {
			_, err = e.Enqueue(ctx, named("b"))
			_ = e.Close()
		}
		if !errors.Is(err, queue.ErrCorrupt) {
			t.Errorf("a database cut off: %v", err)
		}
	})
}

func TestNewerSchema(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e, err := Open(path, Config{})
	must(t, err)
	_, err = e.DB().Exec("INSERT INTO twice_migration VALUES (99, 'later', 0)")
	must(t, err)
	must(t, e.Close())
	refused(t, path, Config{}, queue.ErrSchema)
}

// A path may hold whatever a file's name may.
func TestStrangePaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "a?b=c&d.db", "a%41#x.db", "été 'q\".db", "a;b\\c.db"} {
		path := filepath.Join(t.TempDir(), name)
		e := openAt(t, path, Config{})
		accept(t, e, named("a"))
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// opening is what a process that only tries to open says.
type opening struct {
	Open, Enqueue, Reason string
}

// tryOpen opens, enqueues and says what came of it.
func tryOpen(path, word string, say func(any)) error {
	var o opening
	tell := func(into *string, err error) {
		if err == nil {
			*into = "ok"
			return
		}
		*into = err.Error()
		for _, r := range []error{queue.ErrReadOnly, queue.ErrUnavailable, queue.ErrSchema} {
			if errors.Is(err, r) {
				o.Reason = r.Error()
			}
		}
	}
	e, err := Open(path, Config{})
	tell(&o.Open, err)
	if err == nil {
		_, err = e.Enqueue(ctx, named(word))
		tell(&o.Enqueue, err)
		_ = e.Close()
	}
	say(o)
	return nil
}

// A disk that becomes read-only, as file systems do after an error, and a full one: typed errors, reads go on, and
// work goes on by itself when it is over.
func TestDiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		with, reason error
	}{{"read-only", faultdisk.ReadOnly, queue.ErrReadOnly}, {"full", faultdisk.Full, queue.ErrFull}} {
		d := faultdisk.New(nil)
		defer d.Close()
		e, err := OpenRigged(newPath(t), Config{Logger: silent}, d.Rig())
		must(t, err)
		accept(t, e, named("a"), named("b"))
		l := claim(t, e, 1)[0]
		d.Break(func(m faultdisk.Moment) error {
			if m.Op == faultdisk.Write {
				return c.with
			}
			return nil
		})
		for range 3 {
			if _, err := e.Enqueue(ctx, named("c")); !errors.Is(err, c.reason) {
				t.Errorf("%s: enqueue: %v", c.name, err)
			}
			if _, err := e.Settle(ctx, done(l)); !errors.Is(err, c.reason) {
				t.Errorf("%s: settle: %v", c.name, err)
			}
			if err := e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
				_, err := e.In(tx).Enqueue(ctx, named("d"))
				return err
			}); !errors.Is(err, c.reason) {
				t.Errorf("%s: transaction: %v", c.name, err)
			}
		}
		if r, err := e.Job(ctx, idOfKey("b")); err != nil || r.State != queue.Queued {
			t.Errorf("%s: reading: %s, %v", c.name, r.State, err)
		}
		d.Break(nil)
		accept(t, e, named("c"), named("d"))
		settle(t, e, done(l))
		if b := balanced(t, e); b.Accepted != 4 || b.Found.Done != 1 {
			t.Errorf("%s: %+v", c.name, b)
		}
		must(t, e.Close())
	}
}

// The same on the driver in use: SQLite's own limit of a file's size.
func TestFullFile(t *testing.T) {
	t.Parallel()
	e := open(t, Config{through: rigged(rig.Rig{Pragmas: []string{"max_page_count(60)"}}), Logger: silent})
	accepted := 0
	var err error
	for err == nil && accepted < 100_000 {
		if _, err = e.Enqueue(ctx, jobs(accepted, 50)...); err == nil {
			accepted += 50
		}
	}
	if !errors.Is(err, queue.ErrFull) {
		t.Fatalf("after %d jobs: %v", accepted, err)
	}
	if b := balanced(t, e); b.Accepted != int64(accepted) {
		t.Errorf("%+v after %d were accepted", b, accepted)
	}
	receipts, err := e.Enqueue(ctx, jobs(0, accepted)...)
	must(t, err)
	for _, r := range receipts {
		if r.Status != queue.Duplicate {
			t.Fatalf("%s", r.Status)
		}
	}
}

func TestLockedFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e := openAt(t, path, Config{BusyTimeout: 300 * time.Millisecond, Logger: silent})
	accept(t, e, named("a"))
	p := start(t, "hold", path, "exclusive")
	var said string
	if !p.hear(&said) || said != "held" {
		t.Fatalf("the other process: %q", said)
	}
	var known *queue.Error
	began := time.Now()
	_, err := e.Enqueue(ctx, named("b"))
	if !errors.Is(err, queue.ErrUnavailable) || errors.Is(err, queue.ErrUnknownOutcome) || !errors.As(err, &known) || known.Remedy == "" {
		t.Errorf("enqueue into a locked file: %v", err)
	}
	if took := time.Since(began); took < 250*time.Millisecond || took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if _, err := e.Job(ctx, idOfKey("a")); err != nil {
		t.Errorf("reading while another writes: %v", err)
	}
	if tx, err := e.DB().BeginTx(ctx, nil); err == nil {
		t.Error("the application's transaction began all the same")
		_ = tx.Rollback()
	}
	refusedOpen := func() error {
		e, err := Open(path, Config{BusyTimeout: 100 * time.Millisecond})
		if err == nil {
			_ = e.Close()
		}
		return err
	}
	if err := refusedOpen(); !errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("open a locked file: %v", err)
	}
	_, err = p.in.Write([]byte("\n"))
	must(t, err)
	must(t, p.Wait())
	accept(t, e, named("b"))
	must(t, refusedOpen())
}

// hold keeps the file's lock until it is told to go on.
func hold(path, word string, say func(any)) error {
	db, err := sql.Open(modernc.driver, dsn(path, "busy_timeout(5000)"))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN "+word); err != nil {
		return err
	}
	say("held")
	_, _ = os.Stdin.Read(make([]byte, 1))
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		return err
	}
	return db.Close()
}

// Rows that cannot be read: the rest works, nothing wedges or spins, each is told of and kept.
func TestCorruptRows(t *testing.T) {
	t.Parallel()
	damages := []struct{ name, set string }{
		{"state", "state = 99"},
		{"attempts", "attempts = '{'"},
		{"effects", "effects = '[1'"},
		{"headers", "headers = 'x'"},
		{"short", "id = x'0102'"},
		{"lane", "lane = 12345"},
	}
	var complaints, looks atomic.Int64
	e := open(t, Config{Logger: slog.New(counting{slog.DiscardHandler, &complaints}), Now: func() time.Time {
		looks.Add(1) // whoever looks, asks the time
		return time.Now()
	}})
	for _, d := range damages {
		accept(t, e, named(d.name))
		_, err := e.DB().Exec("UPDATE twice_job SET "+d.set+" WHERE id = ?", idBytes(d.name))
		must(t, err)
	}
	accept(t, e, named("good"))

	// One at a time: a claim that stopped at the first would never come to the good one.
	if l := take(t, e, func(c *queue.Claim) { c.Max = 1 }); l.Job.Key != "good" {
		t.Fatalf("leased %s", l.Job.Key)
	} else {
		settle(t, e, done(l))
	}
	if n := complaints.Load(); n != 5 { // once for each that a claim met: nobody asks for the lane that is not there
		t.Errorf("%d complaints", n)
	}
	began := looks.Load()
	if got := claim(t, e, 10, func(c *queue.Claim) { c.Wait = 300 * time.Millisecond }); len(got) != 0 {
		t.Errorf("leased %d", len(got))
	}
	if n := looks.Load() - began; n > 150 {
		t.Errorf("a claim that waits looked %d times in 300 ms", n)
	}

	for _, d := range damages {
		_, err := e.Job(ctx, idOfKey(d.name))
		want := queue.ErrCorrupt
		if d.name == "short" { // nothing leads to it any more
			want = queue.ErrNotFound
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: inspected: %v", d.name, err)
		}
		if want != queue.ErrCorrupt {
			continue
		}
		got, err := e.Enqueue(ctx, named(d.name), named("beside "+d.name))
		if err != nil || got[0].Status != queue.Refused || !errors.Is(got[0].Err, queue.ErrCorrupt) || got[1].Status != queue.Accepted {
			t.Errorf("%s: enqueued again: %v, %v", d.name, got, err)
		}
		answers, err := e.Cancel(ctx, queue.Actor{Name: "ada", Why: "test"}, queue.Cut{ID: idOfKey(d.name)}, queue.Cut{ID: idOfKey("beside " + d.name)})
		if err != nil || !errors.Is(answers[0], queue.ErrCorrupt) || answers[1] != nil {
			t.Errorf("%s: cancelled: %v, %v", d.name, answers, err)
		}
	}
	page, err := e.List(ctx, queue.Query{State: queue.Queued})
	must(t, err)
	for _, r := range page.Records {
		if !strings.Contains(r.Error, "corrupt") {
			t.Errorf("listed: %s, %q", r.Job.Key, r.Error)
		}
	}
	books, err := e.Audit(ctx)
	if !errors.Is(err, queue.ErrCorrupt) { // a row of no lane belongs to no queue
		t.Errorf("audit: %v, %v", books, err)
	}
	_, err = e.DB().Exec("DELETE FROM twice_job WHERE lane = 12345")
	must(t, err)
	books, err = e.Audit(ctx)
	must(t, err)
	if len(books) != 1 || books[0].Missing() != 2 { // what has no state, and what is gone
		t.Errorf("the books do not show the damage: %+v", books)
	}
}

func idBytes(key string) []byte { id := idOfKey(key); return id[:] }

// counting counts complaints.
type counting struct {
	slog.Handler
	n *atomic.Int64
}

func (c counting) Enabled(context.Context, slog.Level) bool { return true }
func (c counting) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		c.n.Add(1)
	}
	return nil
}

// A row damaged while it is leased hurts the heartbeats and ends of no other.
func TestCorruptLeasedRow(t *testing.T) {
	t.Parallel()
	e := open(t, Config{Logger: silent})
	accept(t, e, named("a", whole), named("b"), named("c", whole))
	leases := claim(t, e, 10)
	_, err := e.DB().Exec("UPDATE twice_job SET attempts = 'x' WHERE id = ?", idBytes("a"))
	must(t, err)
	answers, err := e.Extend(ctx, time.Minute, leases...)
	if err != nil || answers[0] != nil || answers[1] != nil || answers[2] != nil { // what is damaged is no part of a lease
		t.Errorf("extend: %v, %v", answers, err)
	}
	answers, err = e.Settle(ctx, done(leases[0]), done(leases[1]), done(leases[2]))
	if err != nil || !errors.Is(answers[0], queue.ErrCorrupt) || answers[1] != nil || answers[2] != nil {
		t.Errorf("settle: %v, %v", answers, err)
	}
	next := failed(leases[0])
	next.Next = []queue.Job{named("d")}
	if answers, err = e.Settle(ctx, next); err != nil || !errors.Is(answers[0], queue.ErrCorrupt) {
		t.Errorf("settle with a follow-up: %v, %v", answers, err)
	}
	balanced(t, e)
}

func whole(j *queue.Job) { j.KeepFor = 48 * time.Hour }

// A damaged part of the index of ids is made again from the rows: every id is still known.
func TestCorruptRun(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{
		"UPDATE twice_run_block SET entries = x'010203' WHERE block & 1 = 0",
		"UPDATE twice_run_block SET entries = x'' WHERE block & 1 = 1",
		"UPDATE twice_run_block SET entries = zeroblob(length(entries))",
		"UPDATE twice_run_block SET entries = 'text'",
		"DELETE FROM twice_run_block WHERE block & 1 = 0",
		"UPDATE twice_run SET entries = 7",
	} {
		path := newPath(t)
		cfg := Config{sealAt: 400, Logger: silent} // two blocks
		e, err := Open(path, cfg)
		must(t, err)
		accept(t, e, jobs(0, 400)...)
		accept(t, e, jobs(400, 400)...)
		settle(t, e, done(claim(t, e, 1)[0]))
		accept(t, e, jobs(800, 10)...)
		if len(e.ids.runs) < 2 {
			t.Fatalf("%d runs", len(e.ids.runs))
		}
		must(t, e.Close())
		db, err := sql.Open(modernc.driver, dsn(path))
		must(t, err)
		_, err = db.Exec(damage)
		must(t, err)
		must(t, db.Close())

		e = openAt(t, path, cfg)
		receipts, err := e.Enqueue(ctx, jobs(0, 810)...)
		must(t, err)
		for i, r := range receipts {
			if r.Status != queue.Duplicate {
				t.Fatalf("%s: job %d was %s, %v", damage, i, r.Status, r.Err)
			}
		}
		accept(t, e, named("new"))
		balanced(t, e)
	}
}

// A block that goes bad under a running engine is told of, not taken for an unknown id.
func TestCorruptBlockWhileOpen(t *testing.T) {
	t.Parallel()
	e := open(t, Config{sealAt: 100, Logger: silent})
	accept(t, e, jobs(0, 200)...)
	accept(t, e, jobs(200, 1)...)
	_, err := e.DB().Exec("UPDATE twice_run_block SET entries = x'0102'")
	must(t, err)
	got, err := e.Enqueue(ctx, append(jobs(7, 1), named("new"))...)
	if err != nil || got[0].Status != queue.Refused || !errors.Is(got[0].Err, queue.ErrCorrupt) || got[1].Status != queue.Accepted {
		t.Errorf("%v, %v", got, err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	_, err := Open(newPath(t), Config{UniqueFor: -1, KeepFor: -time.Hour, BusyTimeout: math.MinInt64, MaxPayload: -5})
	if !errors.Is(err, queue.ErrInvalid) {
		t.Fatal(err)
	}
	for _, word := range []string{"UniqueFor", "KeepFor", "BusyTimeout", "MaxPayload"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s is not among the problems: %v", word, err)
		}
	}
	for _, cfg := range []Config{{MaxPayload: 1 << 40}, {BusyTimeout: math.MaxInt64}} {
		if _, err := Open(newPath(t), cfg); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	e := open(t, Config{UniqueFor: math.MaxInt64, KeepFor: math.MaxInt64, MaxPayload: 1, BusyTimeout: 1})
	accept(t, e, named("a", func(j *queue.Job) { j.Payload = nil; j.KeepFor = math.MaxInt64 }))
	settle(t, e, done(take(t, e)))
	if n, err := e.Prune(ctx, 100); n != 0 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
}

// Any bytes go in and come out.
func TestBytes(t *testing.T) {
	t.Parallel()
	e := open(t, Config{})
	strange := []string{"\x00", "a\x00b", "\xff\xfe\x00", strings.Repeat("\xc3\x28", 200), `{"n":123456789012345678901234567890}`, "'; DROP TABLE twice_job; --", "\u202e", "\xed\xa0\x80"}
	for i, s := range strange {
		j := named(s, whole, func(j *queue.Job) {
			j.Payload, j.Unique, j.Headers = []byte(s), s, queue.Headers{"h" + s: s}
			j.Fingerprint = math.MaxUint64 - uint64(i)
		})
		accept(t, e, j)
		l := take(t, e, func(c *queue.Claim) { c.Worker = s })
		same := func(what, got string) {
			t.Helper()
			if got != s {
				t.Errorf("%s %q came out as %q", what, s, got)
			}
		}
		same("key", l.Job.Key)
		same("payload", string(l.Job.Payload))
		same("unique", l.Job.Unique)
		same("header", l.Job.Headers["h"+s])
		same("worker", l.Worker)
		back := failed(l)
		back.Error, back.Checkpoint = s, []byte(s)
		settle(t, e, back)
		l = take(t, e)
		same("checkpoint", string(l.Checkpoint))
		last := done(l)
		last.Result = []byte(s)
		settle(t, e, last)
		r, err := e.Job(ctx, l.Job.ID)
		must(t, err)
		same("result", string(r.Result))
		same("error", r.Error)
		same("attempt's error", r.Attempts[0].Error)
		if r.Job.Fingerprint != math.MaxUint64-uint64(i) {
			t.Errorf("fingerprint %d", r.Job.Fingerprint)
		}
		if got, err := e.Enqueue(ctx, j); err != nil || got[0].Status != queue.Duplicate {
			t.Errorf("%q again: %v, %v", s, got, err)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	e := open(t, Config{MaxPayload: 100})
	big := bytes.Repeat([]byte("x"), 101)
	got, err := e.Enqueue(ctx,
		named("payload", func(j *queue.Job) { j.Payload = big }),
		named(strings.Repeat("k", queue.MaxKey+1)),
		named(""),
		named("past", func(j *queue.Job) { j.RunAt = time.Unix(5, 0) }),
		named("far", func(j *queue.Job) { j.RunAt = time.Date(292277020000, 1, 1, 0, 0, 0, 0, time.UTC) }),
		named("queue", func(j *queue.Job) { j.Queue = "a{b}c" }),
		named("good"))
	must(t, err)
	for i, want := range []error{queue.ErrTooLarge, queue.ErrTooLarge, queue.ErrInvalid, queue.ErrInvalid, queue.ErrInvalid, queue.ErrInvalid, nil} {
		if !errors.Is(got[i].Err, want) || (want == nil) != (got[i].Status == queue.Accepted) {
			t.Errorf("job %d: %s, %v; want %v", i, got[i].Status, got[i].Err, want)
		}
	}
	if d, err := e.Depths(ctx); err != nil || len(d) != 1 {
		t.Errorf("what was refused left a queue behind: %v, %v", d, err)
	}
	tooMany := make([]queue.Job, maxBatch+1)
	_, err1 := e.Enqueue(ctx, tooMany...)
	_, err2 := e.Extend(ctx, time.Minute, make([]queue.Lease, maxBatch+1)...)
	_, err3 := e.Settle(ctx, make([]queue.Settlement, maxBatch+1)...)
	_, _, err4 := e.Exchange(ctx, make([]queue.Settlement, maxBatch+1), request(1))
	_, err5 := e.Cancel(ctx, queue.Actor{Name: "a", Why: "b"}, make([]queue.Cut, maxBatch+1)...)
	for i, err := range []error{err1, err2, err3, err4, err5} {
		if !errors.Is(err, queue.ErrTooLarge) {
			t.Errorf("batch %d: %v", i+1, err)
		}
	}
	for _, n := range []int{0, -1, maxBatch + 1} {
		if _, err := e.Claim(ctx, request(n)); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("claim of %d: %v", n, err)
		}
		if _, err := e.Prune(ctx, n); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("prune of %d: %v", n, err)
		}
		if _, err := e.Reap(ctx, n); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("reap of %d: %v", n, err)
		}
	}
	l := take(t, e)
	huge := failed(l)
	huge.Error = strings.Repeat("\xff", 1<<20)
	huge.RunAt = time.Date(292277020000, 1, 1, 0, 0, 0, 0, time.UTC)
	settle(t, e, huge)
	r, err := e.Job(ctx, l.Job.ID)
	must(t, err)
	if len(r.Error) > queue.MaxError || len(r.Attempts[0].Error) > queue.MaxError {
		t.Errorf("%d bytes of an error were kept", len(r.Error))
	}
	for _, ref := range []string{"", "-1", "zzzzzzzzzzzzzzzzzzzz", "\x00", "1"} {
		bad := done(l)
		bad.Lease.Ref = ref
		answers, err := e.Settle(ctx, bad)
		if err != nil || !errors.Is(answers[0], queue.ErrLeaseLost) {
			t.Errorf("settle by the handle %q: %v, %v", ref, answers, err)
		}
	}
	for _, c := range []string{"!", "-5", strings.Repeat("9", 100), "\x00"} {
		if _, err := e.List(ctx, queue.Query{Cursor: c}); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("cursor %q: %v", c, err)
		}
	}
	balanced(t, e)
}
