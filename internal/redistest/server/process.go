package server

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a child that ends when this process does.
type process struct {
	*os.Process
	ended chan struct{} // closed once it has ended
}

// start starts a program. The thread that does so waits for the end, since the child is bound to it.
func start(path string, args ...string) (*process, error) {
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = bound()
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is for its log to say
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return &process{cmd.Process, ended}, nil
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// end signals the process and waits until it has ended.
func (p *process) end(s syscall.Signal) error {
	if !p.running() {
		return nil
	}
	if err := p.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("process %d did not end within %v of %v", p.Pid, patience, s)
	}
}

// patience is how long a server may take to start, with all its data, or to end.
const patience = time.Minute
