package server

import "syscall"

// Orphans says whether a server outlives a process that is killed.
const Orphans = false

// bound makes a child end with the thread that starts it.
func bound() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
