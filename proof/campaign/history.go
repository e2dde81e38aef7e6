package campaign

import "fmt"

// History says what every process of a campaign records of its calls of the engine, to be judged when all have ended.
type History string

// What can be recorded. Within an application's transactions it is always what the engine answered.
const (
	// HistoryOfEngine is what the engine was asked, and what it answered, whatever a Control makes of it.
	HistoryOfEngine History = "what the engine answered"
	// HistoryOfWorkers is what the workers were answered: where a Control lies to them, that cannot be explained.
	HistoryOfWorkers History = "what the workers were answered"
)

// RuleHistory is broken by calls of the engine that no order explains, and by a history that cannot be judged.
const RuleHistory = "the history breaks the protocol"

// Recorded are the figures of a campaign's history.
type Recorded struct {
	What         History `json:"what"`
	Processes    int     `json:"processes"`
	Jobs         int     `json:"jobs"`
	Operations   int     `json:"operations"` // on jobs
	Unknown      int     `json:"unknown"`    // of them, those of which nobody knows the outcome
	Unheard      int     `json:"unheard"`    // claims whose answer nobody had
	Cut          int     `json:"cut"`        // calls in which their process was killed
	Replaced     int     `json:"leases_replaced"`
	ToldLost     int     `json:"told_lost"`
	Breaches     int     `json:"breaches"`
	Linearizable bool    `json:"linearizable"` // as porcupine finds, job by job
	Seconds      float64 `json:"check_s"`
}

// String gives the figures for people.
func (r *Recorded) String() string {
	found := "linearizable"
	if !r.Linearizable {
		found = "NOT found linearizable"
	}
	return fmt.Sprintf("%5d operations on %d jobs by %d processes, %3d of unknown outcome and %3d claims unheard (%d calls cut by a kill), %3d leases replaced, %3d told that a lease was lost: %d breaches; %s (%.1fs)",
		r.Operations, r.Jobs, r.Processes, r.Unknown, r.Unheard, r.Cut, r.Replaced, r.ToldLost, r.Breaches, found, r.Seconds)
}
