package worker

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"time"

	"github.com/twicehq/twice/queue"
)

// Lone is a command that runs one suspect in a process of its own: a program with the same handlers,
// mostly this one again with other arguments, that calls [Worker.RunLone] with its standard input and
// output.
//
// The lease goes to the child on its standard input, never in its arguments. The end of that input is the
// word to shut down; it also ends when this process dies. On its standard output the child says when the
// handler begins and when the attempt is settled; every other line there is passed on. From its begin on
// the child alone speaks for the lease: if it dies without a settlement the lease runs out, and the next
// claim counts the crash, unless this process killed it in a shutdown. A command that cannot be started, or ends before the handler began, is no fault
// of the job: it goes back with a delay, counted as an interruption.
type Lone struct {
	Path   string    // the program; "": this one
	Args   []string  // its arguments, without the name
	Env    []string  // its environment; nil: this process's
	Dir    string    // its working directory; "": this process's
	Stdout io.Writer // what it prints goes here; nil: to this process's
	Stderr io.Writer
}

func (l *Lone) check() queue.Problems {
	if l.Path == "" && len(l.Args) == 0 {
		return queue.Problems{&queue.Error{Reason: queue.ErrInvalid, Detail: "its Lone command is this program with no arguments",
			Remedy: "give the arguments with which it calls RunLone"}}
	}
	return nil
}

func (l *Lone) command() (*exec.Cmd, error) {
	path := l.Path
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(path, l.Args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = l.Env, l.Dir, l.Stdout, l.Stderr
	if cmd.Stdout == nil {
		cmd.Stdout = os.Stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	cmd.WaitDelay = time.Second // for what the child started and left behind
	return cmd, nil
}

// child runs a suspect by Config.Lone and waits for its process to end.
func (r *runner) child(a *attempt) {
	words := &wordReader{lease: a.lease().ID}
	err := r.spawn(a, words)
	begun, settled := words.heard()
	if begun && settled {
		err = nil
	} else if begun && err == nil {
		err = errors.New("it ended without a settlement")
	}
	if err != nil {
		err = &queue.Error{Op: "run alone", Subject: a.lease().Job.ID.String(), Cause: err,
			Detail: fate(begun, err)}
	}
	r.tell(r.base, Event{What: LoneEnded, Lease: a.lease(), Err: err, Alone: true})
	if !begun || errors.Is(err, ErrShutdown) {
		r.hold(a)
		a.phase.Store(ended)
		a.decide(Ending{Outcome: queue.OutcomeInterrupted, Error: err.Error()})
		if !r.isDraining() {
			rules := a.handler.rules
			later(&a.end, a.now(), Backoff(a.lease().Counts.Interruptions+1, rules.BackoffBase, rules.BackoffLimit, rand.Float64()))
		}
		r.tell(r.base, Event{What: Given, Lease: a.lease(), Settlement: &a.end, Outcome: a.end.Outcome})
		r.end(a)
	}
}

// spawn starts the process, hands it the lease and waits for its end: forced when it has not begun in
// time, when it outlives its timeout by far, and when it outlives a shutdown.
func (r *runner) spawn(a *attempt, words *wordReader) error {
	cmd, err := r.cfg.Lone.command()
	if err != nil {
		return err
	}
	words.rest = cmd.Stdout
	cmd.Stdout = words
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.tell(r.base, Event{What: LoneStarted, Lease: a.lease(), Alone: true})
	go func() { _ = gob.NewEncoder(stdin).Encode(a.lease()) }()
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()

	boot := time.NewTimer(r.cfg.Lease / 2)
	defer boot.Stop()
	limit := time.NewTimer(a.limit().After + r.cfg.Lease + 2*r.cfg.Margin)
	defer limit.Stop()
	stopping := r.claims.Done()
	var late <-chan time.Time
	for {
		select {
		case err := <-exited:
			return err
		case <-boot.C:
			if begun, _ := words.heard(); begun {
				continue
			}
		case <-limit.C:
		case <-late:
		case <-stopping:
			_ = stdin.Close() // the word to shut down
			stopping = nil
			t := time.NewTimer(r.cfg.Grace + min(r.cfg.Margin, maxShutdownMargin))
			defer t.Stop()
			late = t.C
			continue
		}
		_ = cmd.Process.Kill()
		if <-exited == nil {
			return nil // it had just ended
		}
		if late != nil {
			return fmt.Errorf("it was killed after the grace: %w", ErrShutdown)
		}
		return errOutlived
	}
}

var errOutlived = errors.New("it was killed, since it did not begin, or end, in time")

// fate says what becomes of a suspect whose process did not settle it.
func fate(begun bool, err error) string {
	switch {
	case !begun:
		return "its handler did not begin: it goes back"
	case errors.Is(err, ErrShutdown):
		return "its process is gone: it goes back"
	}
	return "its lease runs out"
}
