package diagnose

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// Sample is what was seen of an engine at one moment. What it does not hold nobody knows: an empty list with its
// reason beside it is no empty engine.
type Sample struct {
	At     time.Time `json:"at"`               // by the sampler's clock
	Down   string    `json:"down,omitempty"`   // why the engine serves nobody; then nothing else is known
	Unread string    `json:"unread,omitempty"` // why its counts could not be read, though it serves

	Queues        []queue.Depth `json:"queues"`
	QueuesOmitted int           `json:"queues_omitted,omitempty"` // for which there was no room

	Workers        []queue.Worker `json:"workers"`
	WorkersOmitted int            `json:"workers_omitted,omitempty"`
	NoPresence     string         `json:"no_presence,omitempty"` // why it is not known who works

	Due   []Due   `json:"due,omitempty"`   // a look into queues that are late
	Held  []Held  `json:"held,omitempty"`  // by limits
	Gone  []Gone  `json:"gone,omitempty"`  // remembered by a Watch
	Usual []Usual `json:"usual,omitempty"` // remembered by a Watch
}

// Due tells of the due jobs of one kind in a queue, from a look at some of them. Jobs that are to run with nothing
// beside them are left out: they wait for each other.
type Due struct {
	Queue  string     `json:"queue"`
	Kind   string     `json:"kind"`
	N      int        `json:"n"`
	Oldest time.Time  `json:"oldest"`
	Jobs   []queue.ID `json:"jobs"` // some
}

// Held tells how many due jobs of a queue limits hold back.
type Held struct {
	Queue string `json:"queue"`
	Jobs  int    `json:"jobs"`
	Limit string `json:"limit"` // which, for people
}

// Gone is a worker that ended with no word: it fell silent, or came back under the same name as another process.
type Gone struct {
	Name      string        `json:"name"`
	Queues    []string      `json:"queues"`
	Kinds     []string      `json:"kinds"`
	Started   time.Time     `json:"started"`
	Lived     time.Duration `json:"lived_ns"` // from its start to its last word
	At        time.Time     `json:"at"`       // its last word, by the engine's clock
	Restarted bool          `json:"restarted"`
	Replaced  bool          `json:"replaced"` // another has served the same queue since
	Jobs      []queue.ID    `json:"jobs"`     // what it ran at its last word; at most MaxNamed
}

// Usual is how long attempts of a kind take that are done, as last told by any worker.
type Usual struct {
	Queue string        `json:"queue"`
	Kind  string        `json:"kind"`
	P50   time.Duration `json:"p50_ns"`
	P99   time.Duration `json:"p99_ns"`
}
