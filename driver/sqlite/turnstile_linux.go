package sqlite

import (
	"os"

	"golang.org/x/sys/unix"
)

// canLockRanges: Linux has locks of parts of a file that belong to the open file, not to the process.
const canLockRanges = true

// lockRange takes the lock of one byte, or reports that somebody else has it.
func lockRange(f *os.File, at int64) bool {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1}) == nil
}

func unlockRange(f *os.File, at int64) {
	_ = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_UNLCK, Start: at, Len: 1})
}
