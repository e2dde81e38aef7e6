package campaign

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Process is a worker process. It is signalled by its own id only.
type Process struct {
	Name string
	cmd  *exec.Cmd

	ready chan struct{} // closed when it is about to claim
	once  sync.Once
	ended chan struct{} // closed when it is gone
}

func startProcess(r role, command func() *exec.Cmd, log io.Writer) (*Process, error) {
	cmd := command()
	cmd.Env = r.environment()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = time.Second // for a suspect's process that outlives it
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{Name: r.Name, cmd: cmd, ready: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// again is the command that runs this program again.
func again() *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return exec.Command(path, "worker")
}

// PID is its process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

func (p *Process) isReady() { p.once.Do(func() { close(p.ready) }) }

func (p *Process) live() bool {
	select {
	case <-p.ended:
		return false
	case <-p.ready:
		return true
	default:
		return false
	}
}

// Kill ends it at once and waits until it is gone.
func (p *Process) Kill() error {
	err := p.Signal(syscall.SIGKILL)
	select {
	case <-p.ended:
		return nil
	case <-time.After(10 * time.Second):
		return errors.Join(fmt.Errorf("never in 10s: %s, process %d, is gone after SIGKILL", p.Name, p.PID()), err)
	}
}

// Signal sends it a signal.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Ended is closed when it is gone.
func (p *Process) Ended() <-chan struct{} { return p.ended }
