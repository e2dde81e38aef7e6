package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// walk gives what may come next of one state.
type walk struct {
	*table
	from life
	next []life
	err  error
}

func (w *walk) all() {
	for i := range w.from.workers {
		w.worker(i)
	}
	w.person()
}

func (w *walk) job() history.Job { return w.rows[w.from.row] }

func (w *walk) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// add adds a state: change makes it of the present one.
func (w *walk) add(change func(*life)) {
	s := w.from
	change(&s)
	w.next = append(w.next, s)
}

// engine lets the engine do something to the job.
func (w *walk) engine(a Act) (int, history.Answer) {
	row, answer, err := w.step(w.from.row, a)
	if err != nil {
		w.fail("%w", err)
	}
	return row, answer
}

// holds asks the engine's row whether the worker's lease is held.
func (w *walk) holds(o one) bool {
	return w.job().Holds(name{int64(o.lease), int64(o.lease)}.text())
}

// fault spends one, if any is left.
func (w *walk) fault(change func(*life)) {
	if int(w.from.faults) < w.life.Faults {
		w.add(func(s *life) { s.faults++; change(s) })
	}
}

// dies: the process is gone. Whoever claims next finds the lease lost with no word.
func (w *walk) dies(i int) {
	j, o := w.job(), w.from.workers[i]
	w.fault(func(s *life) {
		if j.State == queue.Running && int64(o.lease) == j.Token {
			s.holderDead = true
		}
		s.workers[i].at = idle
	})
}
