package demo

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

// process is one process of the demo under its supervisor: it is started again when it ends unasked. It
// ends in order by itself when the demo dies, since its standard input does.
type process struct {
	name   string
	binary string
	env    []string
	args   func(name string) []string // name tells one life from another
	log    *journal

	mu    sync.Mutex
	cmd   *exec.Cmd
	input io.Closer
	lives int
	died  []string // how each life ended that was not asked to
	asked bool
	over  chan struct{} // closed when it is not started again
	last  error         // of its last life
}

// maxLives ends a process that dies again and again: no scene kills one so often.
const maxLives = 12

// restartAfter is how long the supervisor waits before it starts a process again.
const restartAfter = 50 * time.Millisecond

// start starts the process and its supervisor.
func (p *process) start() error {
	p.over = make(chan struct{})
	if err := p.spawn(); err != nil {
		return err
	}
	go p.supervise()
	return nil
}

func (p *process) spawn() error {
	out, err := os.OpenFile(p.log.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }() // the child has its own
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked {
		return errAsked
	}
	p.lives++
	cmd := exec.Command(p.binary, p.args(p.lifeName())...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.env, out, out
	apart(cmd)
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.input = cmd, input
	return nil
}

var errAsked = errors.New("the process was asked to end")

// lifeName names the life under way: worker-1, then worker-1.2. p.mu is held.
func (p *process) lifeName() string {
	if p.lives < 2 {
		return p.name
	}
	return fmt.Sprintf("%s.%d", p.name, p.lives)
}

func (p *process) supervise() {
	defer close(p.over)
	for {
		p.mu.Lock()
		cmd := p.cmd
		p.mu.Unlock()
		p.last = cmd.Wait()
		p.mu.Lock()
		asked := p.asked
		if !asked {
			p.died = append(p.died, fmt.Sprint(p.last))
		}
		again := !asked && p.lives < maxLives
		p.mu.Unlock()
		if !again {
			return
		}
		time.Sleep(restartAfter)
		if p.spawn() != nil {
			return
		}
	}
}

// is reports whether the name is that of the life under way.
func (p *process) is(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lifeName() == name
}

// living is the life under way.
func (p *process) living() *os.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process
}

func (p *process) pid() int { return p.living().Pid }

// deaths is how often it ended unasked.
func (p *process) deaths() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.died)
}

// lastDeath is how it ended unasked the last time, which there must have been.
func (p *process) lastDeath() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.died[len(p.died)-1]
}

// end asks the process to end and waits: in order within so long, else by force. It gives how its last
// life ended, nil for exit status 0.
func (p *process) end(within time.Duration) error {
	p.mu.Lock()
	p.asked = true
	cmd, input := p.cmd, p.input
	p.mu.Unlock()
	if cmd == nil || p.over == nil {
		return nil
	}
	_ = thaw(cmd.Process) // a frozen one hears nothing
	_ = cmd.Process.Signal(syscall.SIGTERM)
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-p.over:
	case <-late.C:
		_ = cmd.Process.Kill()
		<-p.over
	}
	_ = input.Close()
	return p.last
}
