//go:build unix

package campaign

import "syscall"

// What stops a process, and lets it go on.
const (
	sigStop = syscall.SIGSTOP
	sigCont = syscall.SIGCONT
)
