package proof

import (
	"fmt"
	"strings"
	"time"
)

// Report is what an exploration found. It can be written as JSON.
type Report struct {
	Kind     string        `json:"kind"`
	Safe     bool          `json:"safe"`     // nothing that was explored broke the handler
	Points   int           `json:"points"`   // of a clean run: where it can be crashed or frozen
	Places   []string      `json:"places"`   // the same, in words
	Explored int           `json:"explored"` // schedules
	Sorts    []SortReport  `json:"sorts,omitempty"`
	Notes    []string      `json:"notes,omitempty"`
	Failure  *Failure      `json:"failure,omitempty"`  // the shortest schedule that broke it
	Replayed []string      `json:"replayed,omitempty"` // the steps of Case.Replay
	Took     time.Duration `json:"took_ns"`

	unmeant bool // a limit that nobody set cut it short
}

// SortReport is what was explored of one sort.
type SortReport struct {
	Sort     Sort   `json:"sort"`
	Explored int    `json:"explored"`
	Points   int    `json:"points"`              // the highest n that fired
	ByPerson int    `json:"by_person,omitempty"` // schedules in which a person had to redrive the job or answer a doubt
	Cut      string `json:"cut,omitempty"`       // why it is not exhaustive
}

// Complete tells whether nothing was cut short or left out.
func (r Report) Complete() bool {
	for _, s := range r.Sorts {
		if s.Cut != "" {
			return false
		}
	}
	return len(r.Sorts) == len(Sorts())
}

// String tells the report to a person.
func (r Report) String() string {
	var b strings.Builder
	if r.Failure != nil {
		b.WriteString(r.Failure.String())
	} else if len(r.Replayed) > 0 {
		fmt.Fprintf(&b, "%s: this schedule does not break it:\n%s", r.Kind, indented(r.Replayed))
	} else {
		fmt.Fprintf(&b, "%s is safe to run twice: %d schedules, each in a fresh world, left it as one clean run of %d points does\n", r.Kind, r.Explored, r.Points)
	}
	for _, s := range r.Sorts {
		if r.Failure != nil && s.Cut == "" {
			continue
		}
		fmt.Fprintf(&b, "  %-12s %5d", s.Sort, s.Explored)
		if s.Points > 0 {
			fmt.Fprintf(&b, "  n = 1 … %d", s.Points)
		}
		if s.ByPerson > 0 {
			fmt.Fprintf(&b, "  (%d needed a person)", s.ByPerson)
		}
		if s.Cut != "" {
			fmt.Fprintf(&b, "  NOT EXHAUSTIVE: %s", s.Cut)
		}
		b.WriteString("\n")
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", n)
	}
	return b.String()
}

func indented(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("    " + l + "\n")
	}
	return b.String()
}
