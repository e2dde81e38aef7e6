package campaign

import (
	"maps"
	"slices"
	"sync"

	"github.com/twicehq/twice/queue"
)

// world is what the campaign itself knows: what it was promised and what it was told.
type world struct {
	mu       sync.Mutex
	accepted map[queue.ID]int // number by id
	told     map[queue.ID]*story
	under    map[string]map[queue.ID]int64 // by process: the attempts that began there and have not returned
	points   map[Point]int
	sending  map[queue.ID]int // by producers, and not acknowledged: number by id
	poison   map[queue.ID]Do  // of those accepted, the jobs that end by a cap
	struck   map[string]bool
	wrong    []string // receipts that contradict the contract

	pressed    int // jobs that were sent around strikes
	unanswered int // requests that were not answered at first
	outages    outages
	pulses     pulses
}

// story is what worker processes told of one job.
type story struct {
	begun map[int64]int  // how often each attempt began: more than once is a lease held twice
	done  map[int64]bool // attempts whose word that the job is done was taken
}

func newWorld() *world {
	return &world{accepted: map[queue.ID]int{}, told: map[queue.ID]*story{}, under: map[string]map[queue.ID]int64{}, points: map[Point]int{}, poison: map[queue.ID]Do{}, struck: map[string]bool{},
		sending: map[queue.ID]int{}, pulses: pulses{map[string]Vitals{}, map[string]int{}}}
}

// heard takes an event of a worker process or the remote.
func (w *world) heard(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.points[e.Point]++
	if e.Vitals != nil {
		w.pulses.last[e.Process] = *e.Vitals
		w.pulses.count[e.Process]++
	}
	if e.Job.IsZero() || w.sent(e) {
		return
	}
	s := w.told[e.Job]
	if s == nil {
		s = &story{begun: map[int64]int{}, done: map[int64]bool{}}
		w.told[e.Job] = s
	}
	switch e.Point {
	case Begun:
		s.begun[e.Token]++
		if w.under[e.Process] == nil {
			w.under[e.Process] = map[queue.ID]int64{}
		}
		w.under[e.Process][e.Job] = e.Token
		w.outages.begun(e.Process)
	case Returned:
		delete(w.under[e.Process], e.Job)
	case Done:
		s.done[e.Token] = true
	}
}

// underway gives the attempts in the handlers of a process.
func (w *world) underway(process string) map[queue.ID]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.under[process])
}

// acting reports whether a job that has effects is in a handler of a process.
func (w *world) acting(process string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.under[process] {
		if w.poison[id] == "" {
			return true
		}
	}
	return false
}

// poisons gives the jobs that must end by a cap.
func (w *world) poisons() []queue.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.poison))
}

// starts is how many attempts of a job began.
func (w *world) starts(id queue.ID) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	if s := w.told[id]; s != nil {
		for _, times := range s.begun {
			n += times
		}
	}
	return n
}

// overtaken reports whether any of these attempts was followed by a later one of its job.
func (w *world) overtaken(attempts map[queue.ID]int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, token := range attempts {
		if s := w.told[id]; s != nil {
			for later := range s.begun {
				if later > token {
					return true
				}
			}
		}
	}
	return false
}

// strike notes that the attack strikes a process.
func (w *world) strike(process string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.struck[process] = true
}

func (w *world) count(p Point) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.points[p]
}
