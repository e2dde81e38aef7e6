package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// crew is a number of worker processes under supervision: each that ends is started again at once, until
// the crew is told to stop.
type crew struct {
	role    role
	command func() *exec.Cmd
	log     *os.File

	slots sync.WaitGroup
	mu    sync.Mutex
	now   []*Process // by slot
	stop  bool
	over  chan struct{}
	begun int
	err   error
}

// earlyEnds is how often in a row a process may end before it was ready.
const earlyEnds = 5

func newCrew(r role, command func() *exec.Cmd, log *os.File) *crew {
	return &crew{role: r, command: command, log: log, over: make(chan struct{})}
}

// hire adds a slot to the crew.
func (c *crew) hire() {
	c.mu.Lock()
	slot := len(c.now)
	c.now = append(c.now, nil)
	c.mu.Unlock()
	c.slots.Go(func() {
		early := 0
		for n := 1; ; n++ {
			p, err := c.start(slot, n)
			if p == nil {
				c.fail(err)
				return
			}
			<-p.ended
			select {
			case <-p.ready:
				early = 0
			default:
				early++
			}
			if early == earlyEnds {
				c.fail(fmt.Errorf("worker %s ended %d times before it was ready: %s (its log: %s)", p.Name, early, p.cmd.ProcessState, c.log.Name()))
				return
			}
		}
	})
}

// start gives nil and no error when the crew has stopped.
func (c *crew) start(slot, n int) (*Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop {
		return nil, nil
	}
	r := c.role
	r.Name = fmt.Sprintf("w%d.%d", slot+1, n)
	p, err := startProcess(r, c.command, c.log)
	if err == nil {
		c.now[slot] = p
		c.begun++
	}
	return p, err
}

func (c *crew) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
		close(c.over)
	}
}

// find gives the live process of that name; nil if there is none.
func (c *crew) find(name string) *Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.now {
		if p != nil && p.Name == name {
			return p
		}
	}
	return nil
}

// processes gives those that run now.
func (c *crew) processes() []*Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*Process
	for _, p := range c.now {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// other gives a live process other than p, if there is one; else p.
func (c *crew) other(p *Process, random *rand.Rand) *Process {
	var all []*Process
	for _, q := range c.processes() {
		if q != p && q.live() {
			all = append(all, q)
		}
	}
	if len(all) == 0 {
		return p
	}
	return all[random.IntN(len(all))]
}

// starts is how many processes were started, and the error that ended the supervision.
func (c *crew) starts() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun, c.err
}

// close lets the processes drain until ctx ends, so that what a late attempt still does is done before it
// is counted; then it kills them.
func (c *crew) close(ctx context.Context) error {
	c.mu.Lock()
	c.stop = true
	c.mu.Unlock()
	var errs []error
	all := c.processes()
	for _, p := range all {
		_ = p.Signal(syscall.SIGCONT) // nothing stays frozen
		_ = p.Signal(syscall.SIGTERM)
	}
	for _, p := range all {
		select {
		case <-p.ended:
		case <-ctx.Done():
			errs = append(errs, p.Kill())
		}
	}
	c.slots.Wait()
	return errors.Join(errs...)
}

// untilReady waits until every slot has a process that claims.
func (c *crew) untilReady(ctx context.Context) error {
	for {
		waiting := false
		for _, p := range c.processes() {
			waiting = waiting || !p.live()
		}
		if !waiting && len(c.processes()) == len(c.now) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("workers did not become ready: %w", ctx.Err())
		case <-c.over:
			_, err := c.starts()
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}
