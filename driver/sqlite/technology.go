package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	modern "modernc.org/sqlite"

	"github.com/twicehq/twice/queue"
)

// technology is an SQLite behind database/sql: which driver, how its data source names are written, and
// how its errors give SQLite's extended result code (0: none).
type technology struct {
	driver string
	dsn    func(path string, pragmas ...string) string
	code   func(error) int
}

var modernc = technology{driver: "sqlite", dsn: dsn, code: func(err error) int {
	var e *modern.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}}

// dsn writes a data source name with pragmas that every new connection runs.
func dsn(path string, pragmas ...string) string {
	var b strings.Builder
	b.WriteString("file:" + (&url.URL{Path: path}).EscapedPath())
	for i, p := range pragmas {
		b.WriteByte("?&"[min(i, 1)])
		if strings.HasPrefix(p, "_") {
			b.WriteString(p)
		} else {
			b.WriteString("_pragma=" + p)
		}
	}
	return b.String()
}

// SQLite's result codes, from https://www.sqlite.org/rescode.html.
const (
	codeBusy         = 5
	codeReadOnly     = 8
	codeIO           = 10
	codeCorrupt      = 11
	codeFull         = 13
	codeCantOpen     = 14
	codeConstraint   = 19
	codeNotADB       = 26
	codeBusySnapshot = 5 | 2<<8
	codeIOFsync      = 10 | 4<<8
	codeIODirFsync   = 10 | 5<<8
)

// translated says what an error of SQLite means for a caller. committing: it came from the commit.
func (t technology) translated(op, path string, err error, committing bool) error {
	if err == nil {
		return nil
	}
	var known *queue.Error
	if errors.As(err, &known) {
		return err
	}
	e := &queue.Error{Op: op, Subject: path, Cause: err}
	code := t.code(err)
	switch code & 0xff {
	case codeBusy:
		e.Reason = queue.ErrUnavailable
		e.Detail = "another process, or a transaction of the application, holds the file's write lock"
		e.Remedy = "nothing was changed: try again; keep write transactions short"
		if code == codeBusySnapshot {
			e.Detail = "the transaction read before it wrote, and others have written since"
			e.Remedy = "begin it as a write transaction: with engine.DB(), or _txlock=immediate"
		}
	case codeReadOnly:
		e.Reason, e.Remedy = queue.ErrReadOnly, "make the file and its folder writable for this user"
	case codeFull:
		e.Reason, e.Remedy = queue.ErrFull, "free some space: work goes on by itself"
	case codeCantOpen:
		e.Reason, e.Remedy = queue.ErrUnavailable, "check that the folder exists and may be written to"
	case codeNotADB:
		e.Reason, e.Detail, e.Remedy = queue.ErrSchema, "the file is not an SQLite database", "name another file"
	case codeCorrupt:
		e.Reason, e.Remedy = queue.ErrCorrupt, "copy the file, then run `PRAGMA integrity_check` on the copy"
	case codeConstraint: // the schema here has none that a caller could break; a deferred one shows at the commit
		e.Reason, e.Detail = queue.ErrInvalid, "a constraint of the application's tables does not hold, so nothing was changed"
	case codeIO:
		e.Reason, e.Remedy = queue.ErrUnavailable, "nothing was changed: check the disk"
		if committing {
			e.Reason, e.Remedy = queue.ErrUnknownOutcome, "repeat the same call: it is safe; and check the disk"
		}
	default:
		e.Reason = queue.ErrUnavailable
		if committing {
			e.Reason = queue.ErrUnknownOutcome
		}
	}
	return e
}

// storage reports an error of the file or the disk, rather than of a statement.
func (t technology) storage(err error) bool {
	switch t.code(err) & 0xff {
	case codeBusy, codeReadOnly, codeIO, codeCorrupt, codeFull, codeCantOpen, codeNotADB:
		return true
	}
	return false
}

// failStop reports an error after which nothing that this connection says can be trusted: what a failed
// fsync left in the kernel is unknown, and a second fsync would report success.
func (t technology) failStop(err error) bool {
	code := t.code(err)
	return code == codeIOFsync || code == codeIODirFsync
}

// damaged makes the error of a row that cannot be read.
func damaged(what string, seq int64, err error) error {
	return &queue.Error{Op: "read", Subject: fmt.Sprintf("%s %d", what, seq), Reason: queue.ErrCorrupt, Cause: err,
		Remedy: "the rest stays usable: look at the row with sqlite3, then mend or delete it there"}
}

// unreadable reports the error of one row or one block: it answers whoever asked for that, and nobody else.
func unreadable(err error) bool {
	var known *queue.Error
	return errors.As(err, &known) && known.Reason == queue.ErrCorrupt
}
