package worker

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/twicehq/twice/queue"
)

// RunLone runs the one attempt whose lease a parent worker hands to this process on in, and settles it:
// the other side of [Lone]. It extends the lease itself, tells out when the handler begins and when the
// attempt is settled, and claims nothing.
//
// When ctx or in ends it drains as Run does. It returns nil once the attempt is settled, or its lease was
// lost while it ran. It fails before the handler begins with ErrInvalid where what it read is no lease of
// a kind it handles, and with ErrLeaseLost; after it with ErrUnknownOutcome where the engine did not take
// the settlement, and as Run does. The process should then exit with another status than 0.
func (w *Worker) RunLone(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := w.check(); err != nil {
		return err
	}
	w.one.Lock()
	defer w.one.Unlock()
	// Where the parent has died, whatever the handler prints would end this process: a crash that is not the job's.
	signal.Ignore(syscall.SIGPIPE)
	var lease queue.Lease
	if err := gob.NewDecoder(in).Decode(&lease); err != nil {
		return &queue.Error{Op: "run alone", Reason: queue.ErrInvalid, Detail: "what it was given is no lease", Cause: err,
			Remedy: "this is called by a worker (Config.Lone), not by hand"}
	}
	if w.handlers[lease.Job.Kind] == nil {
		return &queue.Error{Op: "run alone", Subject: lease.Job.ID.String(), Reason: queue.ErrInvalid, Detail: "it handles no kind " + lease.Job.Kind,
			Remedy: "give the command of Config.Lone the handlers of its parent"}
	}
	if err := w.confirm(ctx, lease); err != nil {
		return err
	}
	r := w.newRunner(ctx, 1)
	r.aside = true // from the start: whatever becomes due meanwhile is for others
	r.start()
	for range pumps {
		r.serve(r.pump)
	}
	said := errOfWrite(io.WriteString(out, word(wordBegun, lease.ID)+"\n"))
	r.runOne(lease)
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(closed)
	}()
	one := make(chan struct{})
	go func() {
		defer close(one)
		r.untilQuiet()
	}()
	select {
	case <-one:
	case <-r.failed:
	case <-ctx.Done():
	case <-closed:
	}
	r.drain()
	if r.left() > 0 {
		return errors.Join(r.failure(), &queue.Error{Op: "run alone", Subject: lease.Job.ID.String(), Reason: queue.ErrUnknownOutcome, Detail: "the engine did not take its settlement"})
	}
	return errors.Join(r.failure(), said, errOfWrite(io.WriteString(out, word(wordSettled, lease.ID)+"\n")))
}

func errOfWrite(_ int, err error) error { return err }

// confirm extends the lease: a parent that was slow to start this process may have lost it.
func (w *Worker) confirm(ctx context.Context, lease queue.Lease) error {
	for try := 1; ; try++ {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		errs, err := w.engine.Extend(call, w.cfg.Lease, lease)
		cancel()
		switch {
		case err == nil:
			return errs[0]
		case try == sealTries || !pause(ctx, w.retryAfter(try)):
			return err
		}
	}
}

// runOne gives the slot its only attempt; nothing is claimed after it.
func (r *runner) runOne(lease queue.Lease) {
	a := r.newAttempt(lease, time.Now())
	a.slot, a.alone = true, true
	r.mu.Lock()
	r.free--
	r.held[a] = struct{}{}
	r.mu.Unlock()
	r.offer(a)
}

func (r *runner) untilQuiet() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.isQuiet() && !r.over {
		r.quiet.Wait()
	}
}

func (r *runner) left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held)
}
