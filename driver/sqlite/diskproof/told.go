package diskproof

import (
	"maps"
	"sync"

	"github.com/twicehq/twice/queue"
)

// told is what an engine has told its callers of a job: nothing of it may be undone.
type told struct {
	accepted bool
	ended    queue.State // 0: not told of an end
	token    int64       // the highest that a lease carried
	finish   bool        // its end was asked for, so it may be done, and pruned
}

// facts counts what was told.
func (f told) facts() (n int) {
	if f.accepted {
		n++
	}
	if f.token > 0 {
		n++
	}
	if f.ended != 0 {
		n++
	}
	return n
}

// denied reports a record that is not what was told.
func (f told) denied(r queue.Record) bool {
	return f.ended != 0 && r.State != f.ended || r.Token < f.token
}

// witness remembers what was told, by the keys of jobs.
type witness struct {
	mu   sync.Mutex
	told map[string]told
}

func newWitness(from map[string]told) *witness {
	w := &witness{told: map[string]told{}}
	maps.Copy(w.told, from)
	return w
}

func (w *witness) note(key string, change func(*told)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.told[key]
	change(&f)
	w.told[key] = f
}

func (w *witness) sofar() map[string]told {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.told)
}
