package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// walk gives what may come next of one state.
type walk struct {
	engines   *table[Row]
	ledgers   *table[Book]
	life      Life
	leftovers map[leftover]int32
	without   []leftover // by number
	alike     map[Row]int32

	from    life
	next    []step
	err     error
	telling bool
}

// step is a state that may come next, and what happened; empty: nothing that anybody else could see.
type step struct {
	life
	what string
}

// leftover is what the model still has of a row that the engine forgot.
type leftover struct {
	counts  [3]uint8
	crashes int
	fresh   int64
	last    string // the lease of its last settlement
}

func (w *walk) all() {
	for i := range w.from.workers {
		w.worker(i)
	}
	w.person()
	if w.life.Instants > 0 {
		w.clock()
		w.producer()
		w.reaper()
	}
}

func (w *walk) job() Row { return w.engines.all[w.from.row] }

func (w *walk) book() Book { return w.ledgers.all[w.from.book] }

// key is what two states have in common that are the same in the model. There redrives are counted over all rows of an
// id; the engine counts them anew on a new row, and they matter to it at its own cap alone.
func (w *walk) key(s life) life {
	if w.life.Instants > 0 {
		row := w.engines.all[s.row]
		row.Counts.Redrives = 0
		n, ok := w.alike[row]
		if !ok {
			n = s.row
			w.alike[row] = n
		}
		s.row = n
	}
	return s
}

func (w *walk) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// say is said only when a story is told: most states are never told of.
func (w *walk) say(format string, args ...any) string {
	if !w.telling {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// add adds a state: change makes it of the present one.
func (w *walk) add(what string, change func(*life)) {
	s := w.from
	change(&s)
	w.next = append(w.next, step{s, what})
}

// engine lets the engine do something to the job.
func (w *walk) engine(a Act) (int32, history.Answer) {
	row, answer, err := w.engines.step(w.from.row, a)
	if err != nil {
		w.fail("%w", err)
	}
	return row, answer
}

// ledger lets the ledger do something.
func (w *walk) ledger(a Act) (int32, history.Answer) {
	book, answer, err := w.ledgers.step(w.from.book, a)
	if err != nil {
		w.fail("%w", err)
	}
	return book, answer
}

// holds asks the engine's row whether the worker's lease is held.
func (w *walk) holds(o one) bool {
	return w.job().Holds(name{int64(o.claim), int64(o.lease)}.text())
}

// fault spends one, if any is left.
func (w *walk) fault(what string, change func(*life)) {
	if int(w.from.faults) < w.life.Faults {
		w.add(what, func(s *life) { s.faults++; change(s) })
	}
}

// dies: the process is gone. Whoever claims next finds the lease lost with no word.
func (w *walk) dies(i int) {
	j, o := w.job(), w.from.workers[i]
	w.fault(w.say("%s dies", who(i)), func(s *life) {
		if j.State == queue.Running && int64(o.lease) == j.Token {
			s.holderDead = true
		}
		s.workers[i].at = idle
	})
}

func who(i int) string { return [...]string{"worker A", "worker B"}[i] }
