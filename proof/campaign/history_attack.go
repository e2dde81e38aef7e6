package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// KillInCall ends a worker process with SIGKILL amid a call that changes a job, by what it has written down of its history:
// nobody ever knows its outcome. It needs a history, and a system that tells when a process stands still.
var KillInCall = Attack{Name: "kill -9 of workers amid their calls", Strike: func(f *Field, victim *Process) (func(context.Context) error, error) {
	if f.chronicle == nil {
		return nil, &queue.Error{Op: "campaign", Subject: "kill amid a call", Reason: queue.ErrInvalid, Remedy: "set Config.History"}
	}
	return func(ctx context.Context) error { // beside the load: a worker that waits for the remote makes no call
		p := f.press() // so that there is always something to do
		defer context.AfterFunc(ctx, p.cancel)()
		err := f.chronicle.hold(ctx, victim)
		return p.end(errors.Join(err, victim.Kill()))
	}, nil
}}

// inCallPatience is how long a call is waited for; then the process is killed wherever it is.
const inCallPatience = 2 * time.Second

// hold stops a process amid a call, if it comes to one.
func (c *chronicle) hold(ctx context.Context, p *Process) error {
	for end := time.Now().Add(inCallPatience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if p.Signal(sigStop) != nil {
			return nil // it has ended
		}
		if within, err := c.amid(p); within || err != nil {
			return err
		}
		if p.Signal(sigCont) != nil {
			return nil
		}
	}
	return nil
}

// amid reports whether a process, which was told to stop, stands in a call that changes a job it names.
func (c *chronicle) amid(p *Process) (bool, error) {
	for end := time.Now().Add(time.Second); !stands(p.PID()); {
		if time.Now().After(end) {
			return false, fmt.Errorf("never in 1s: %s stands still", p.Name)
		}
		select {
		case <-p.ended:
			return false, nil
		case <-time.After(20 * time.Microsecond):
		}
	}
	names, err := filepath.Glob(filepath.Join(c.Dir, p.Name+"-*.jsonl"))
	if err != nil || len(names) != 1 {
		return false, errors.Join(err, fmt.Errorf("%s has %d logs", p.Name, len(names)))
	}
	file, err := os.Open(names[0])
	if err != nil {
		return false, err
	}
	defer file.Close()
	ops, cut, err := history.ReadLog(file)
	if err != nil || cut == 0 {
		return false, err
	}
	for _, op := range ops {
		if op.Answer == history.Unknown && !op.Job.IsZero() && op.Call != history.Follow {
			return true, nil
		}
	}
	return false, nil
}

// stands reports whether every thread of a process is stopped.
func stands(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if _, state, found := strings.Cut(string(text), ") "); err != nil || !found || state[0] != 'T' {
			return false
		}
	}
	return err == nil && len(threads) > 0
}
