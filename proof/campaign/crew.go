package campaign

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// crew is a number of worker processes under supervision: each that ends is started again at once, until
// the crew is told to stop.
type crew struct {
	names   string // of its processes, by slot and run
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
const earlyEnds = 8

// earlyPause is waited after the first of them, and as much longer after each.
const earlyPause = 200 * time.Millisecond

const (
	workerNames   = "w%d.%d"
	producerNames = producerMark + "%d.%d"
	producerMark  = "p"
)

func newCrew(names string, r role, command func() *exec.Cmd, log *os.File) *crew {
	return &crew{names: names, role: r, command: command, log: log, over: make(chan struct{})}
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
			time.Sleep(time.Duration(early) * earlyPause) // the engine's server may be down
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
	r.Name = fmt.Sprintf(c.names, slot+1, n)
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

// starts is how many processes were started, and the error that ended the supervision.
func (c *crew) starts() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun, c.err
}
