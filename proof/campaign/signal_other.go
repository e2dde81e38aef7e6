//go:build !unix

package campaign

import "syscall"

// There are no such signals here: sending them fails, and so does FreezeWorkers.
const (
	sigStop = syscall.Signal(0x13)
	sigCont = syscall.Signal(0x12)
)
