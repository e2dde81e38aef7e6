//go:build !linux

package sqlite

import "os"

// canLockRanges is false: here writers take SQLite's lock as it comes.
const canLockRanges = false

func lockRange(*os.File, int64) bool { return false }
func unlockRange(*os.File, int64)    {}
