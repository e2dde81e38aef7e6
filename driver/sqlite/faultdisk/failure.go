package faultdisk

import (
	"errors"
	"fmt"

	"modernc.org/sqlite/lib"
)

// Failure is an extended result code of SQLite, with which an operation fails.
type Failure int32

// What an operating system's EIO, ENOSPC, EROFS and EMFILE become.
const (
	BadRead     Failure = sqlite3.SQLITE_IOERR_READ
	BadWrite    Failure = sqlite3.SQLITE_IOERR_WRITE
	BadSync     Failure = sqlite3.SQLITE_IOERR_FSYNC
	BadTruncate Failure = sqlite3.SQLITE_IOERR_TRUNCATE
	BadDelete   Failure = sqlite3.SQLITE_IOERR_DELETE
	Full        Failure = sqlite3.SQLITE_FULL
	ReadOnly    Failure = sqlite3.SQLITE_READONLY
	CannotOpen  Failure = sqlite3.SQLITE_CANTOPEN
)

func (f Failure) Error() string { return fmt.Sprintf("faultdisk: SQLite's code %d", int32(f)) }

// Torn fails a write half-way.
type Torn struct{ Err error }

func (t Torn) Error() string { return t.Err.Error() + ", half-way" }

func code(err error) int32 {
	var f Failure
	if errors.As(err, &f) {
		return int32(f)
	}
	return sqlite3.SQLITE_IOERR
}
