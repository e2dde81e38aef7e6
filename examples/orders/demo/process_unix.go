//go:build unix

package demo

import (
	"os"
	"os/exec"
	"syscall"
)

// apart keeps the terminal's Ctrl-C from the process: the demo ends it in order.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func freeze(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func thaw(p *os.Process) error   { return p.Signal(syscall.SIGCONT) }
