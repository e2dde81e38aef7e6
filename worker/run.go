package worker

import "context"

// Run claims and runs jobs until ctx ends; then it drains: it claims no more, lets running handlers go on
// for the grace, ends the contexts of the rest with cause ErrShutdown, and gives back, as interrupted,
// the jobs of those that do not return within the margin (at most 2 s). So it returns within grace,
// margin and the time of one last settlement; jobs of a handler that is still running then are safe: its
// lease has been replaced.
//
// It returns nil after a drain in order. It fails with ErrInvalid, naming everything that is wrong with
// the worker, before anything was claimed; with ErrDeaf when half of the slots are deaf; and with
// ErrClosed when the engine was closed under it; both after a drain. One Run or RunLone at a time: a
// second waits for the first.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.check(); err != nil {
		return err
	}
	w.one.Lock()
	defer w.one.Unlock()
	r := w.newRunner(ctx, w.cfg.Concurrency)
	r.start()
	for range pumps {
		r.serve(r.pump)
	}
	r.serve(r.loneLoop)
	r.background(r.present)
	r.background(r.prune)
	select {
	case <-ctx.Done():
	case <-r.failed:
	}
	r.drain()
	return r.failure()
}

// pumps is how many trips to the engine may be under way at once, beside a claim that waits: while one
// batch is stored the next gathers.
const pumps = 2
