package prove

import (
	"slices"
	"time"

	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/proof/campaign"
)

// Verdict is what became of a part.
type Verdict string

// Verdicts.
const (
	Held      Verdict = "held"
	Broken    Verdict = "broken"      // a rule was found broken
	Caught    Verdict = "caught"      // a control was found broken, as it must be
	Missed    Verdict = "missed"      // a control was not found broken: the check that it belongs to sees nothing
	Failed    Verdict = "failed"      // it could not be carried out
	LeftOut   Verdict = "left out"    // it cannot be fought on this engine
	OutOfTime Verdict = "out of time" // it was not begun
)

func (v Verdict) good() bool { return v == Held || v == Caught || v == LeftOut || v == OutOfTime }

// Report is what a proof came to. As JSON it is its evidence.
type Report struct {
	Engine     string    `json:"engine"`     // as it was named
	Name       string    `json:"name"`       // as it calls itself
	Durability string    `json:"durability"` // as it says
	Seed       uint64    `json:"seed"`
	Began      time.Time `json:"began"`
	Box        float64   `json:"box_s"`
	Seconds    float64   `json:"seconds"`
	CPUs       int       `json:"cpus"`
	Holds      bool      `json:"holds"`    // nothing was broken, no control was missed, and all could be carried out
	Complete   bool      `json:"complete"` // no part was left out for want of time
	Totals     Figures   `json:"totals"`   // of all parts but the controls
	Parts      []*Result `json:"parts"`
}

// BoxLength is how long it might have taken.
func (r Report) BoxLength() time.Duration { return time.Duration(r.Box * float64(time.Second)) }

// Controlled reports whether controls were among the parts.
func (r Report) Controlled() bool {
	return slices.ContainsFunc(r.Parts, func(p *Result) bool { return p.Control })
}

// Result is what became of a part in all its rounds.
type Result struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Shows   string  `json:"shows"`
	Control bool    `json:"control,omitempty"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"` // of a part that was left out, or failed
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`
	Figures
	Broken []string `json:"broken,omitempty"` // what was, with the seed; of a control, what had to be
	Notes  []string `json:"notes,omitempty"`  // of the latest round
	Spaces []Space  `json:"spaces,omitempty"`
	// Struck is at which points of jobs' lives the attack struck, in all rounds.
	Struck    map[campaign.Point]int `json:"struck_at,omitempty"`
	Campaigns []campaign.Report      `json:"campaigns,omitempty"` // the latest, and each in which something was broken

	last time.Duration
}

// Space is what was explored of a handler, or of the protocol.
type Space struct {
	Name  string        `json:"name"`
	Proof *proof.Report `json:"proof,omitempty"`
	Text  string        `json:"text,omitempty"`
}

// kept is how many lines of each sort a part keeps.
const kept = 20

// take adds a round.
func (res *Result) take(p Part, r *round, err error) {
	f := r.found
	res.Rounds++
	res.Seconds += res.last.Seconds()
	res.Figures.add(f.Figures)
	res.Broken = bounded(append(res.Broken, f.broken...))
	res.Notes = bounded(f.notes)
	res.Spaces = append(res.Spaces, f.spaces...)
	for _, c := range f.campaigns {
		for point, n := range c.StruckAt {
			if res.Struck == nil {
				res.Struck = map[campaign.Point]int{}
			}
			res.Struck[point] += n
		}
	}
	if len(f.campaigns) > 0 {
		if n := len(res.Campaigns); n > 0 && res.Campaigns[n-1].OK() {
			res.Campaigns = res.Campaigns[:n-1]
		}
		res.Campaigns = append(res.Campaigns, f.campaigns...)
	}
	switch {
	case err != nil:
		res.Verdict, res.Why = Failed, err.Error()
	case p.Control && len(res.Broken) > 0:
		res.Verdict = Caught
	case p.Control:
		res.Verdict = Missed
	case len(res.Broken) > 0:
		res.Verdict = Broken
	default:
		res.Verdict = Held
	}
}

func bounded(lines []string) []string {
	if len(lines) > kept {
		return lines[:kept]
	}
	return lines
}
