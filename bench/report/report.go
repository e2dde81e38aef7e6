// Package report shows outcomes, as Markdown and as JSON.
package report

import (
	"runtime"
	"slices"

	"github.com/twicehq/twice/bench/suite"
	"github.com/twicehq/twice/internal/loadtest"
)

// Report is what a run found.
type Report struct {
	Go       string    `json:"go"`
	System   string    `json:"system"`
	Cores    int       `json:"cores"`
	Base     string    `json:"base"` // the peer that the ratios are of
	Settings Settings  `json:"settings"`
	Peers    []Peer    `json:"peers"`
	Sections []Section `json:"scenarios"`
	Failed   bool      `json:"failed"`
}

// Settings are the bounds that figures depend on.
type Settings struct {
	Runs          int     `json:"runs"`
	Backlog       int     `json:"backlog"`
	Rest          int     `json:"rest"`
	LengthSeconds float64 `json:"length_seconds"`
	CapSeconds    float64 `json:"cap_seconds"`
	Samples       int     `json:"samples"`
	QuietCores    float64 `json:"quiet_cores"`
}

// Peer says what was measured.
type Peer struct {
	Name       string `json:"name"`
	About      string `json:"about"`
	Durability string `json:"durability"`
	Reference  bool   `json:"for_information"`
}

// Section is one scenario with the fsync probe that ran beside it.
type Section struct {
	Name  string         `json:"name"`
	What  string         `json:"what"`
	Fsync loadtest.Fsync `json:"fsync"`
	Rows  []Row          `json:"rows"`
}

// Row is one figure of one peer.
type Row struct {
	loadtest.Figure
	Peer       string    `json:"peer"`
	Durability string    `json:"durability"`
	Median     float64   `json:"median"`
	Min        float64   `json:"min"`
	Max        float64   `json:"max"`
	Values     []float64 `json:"values"`
	Ratio      *float64  `json:"ratio,omitempty"` // the base's median / this median
	Workers    int       `json:"workers,omitempty"`
	Threads    int       `json:"threads,omitempty"` // GOMAXPROCS, where it was tried
	Foreign    float64   `json:"foreign_cores"`     // of the most disturbed run kept
	Disturbed  bool      `json:"disturbed"`
	Error      string    `json:"error,omitempty"`
}

// Make reads the outcomes. base names the peer whose medians the ratios compare with the others'.
func Make(cfg suite.Config, base string, cs []suite.Contestant, outcomes []suite.Outcome) Report {
	r := Report{
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Base: base,
		Settings: Settings{cfg.Runs, cfg.Backlog, cfg.Rest, cfg.Length.Seconds(), cfg.Cap.Seconds(), cfg.Samples, cfg.Quiet},
	}
	for _, c := range cs {
		r.Peers = append(r.Peers, Peer{c.Name, c.About, c.Durability, c.Reference})
	}
	for _, o := range outcomes {
		s := Section{Name: o.Scenario.Name, What: o.Scenario.What, Fsync: o.Fsync}
		for _, f := range o.Scenario.Figures {
			for _, res := range o.Results {
				if row, ok := makeRow(f, res, cfg.Quiet); ok {
					s.Rows = append(s.Rows, row)
					r.Failed = r.Failed || row.Error != ""
				}
			}
		}
		compare(s.Rows, base)
		r.Sections = append(r.Sections, s)
	}
	return r
}

// makeRow says false where a contestant has no such figure.
func makeRow(f loadtest.Figure, res suite.Result, quiet float64) (Row, bool) {
	row := Row{Figure: f, Peer: res.Contestant.Name, Durability: res.Contestant.Durability}
	if res.Err != nil {
		row.Error = res.Err.Error()
		return row, res.Offered
	}
	row.Values = suite.Numbers(res.Samples, f.Name)
	if len(row.Values) == 0 {
		return row, false
	}
	row.Median = suite.Median(res.Samples, f.Name)
	row.Min, row.Max = slices.Min(row.Values), slices.Max(row.Values)
	row.Workers, row.Threads = res.Samples[0].Workers, res.Samples[0].Threads
	for _, s := range res.Samples {
		row.Foreign = max(row.Foreign, s.Foreign)
	}
	row.Disturbed = row.Foreign >= quiet
	return row, true
}

func compare(rows []Row, base string) {
	for _, b := range rows {
		if b.Peer != base || b.Error != "" {
			continue
		}
		for i, r := range rows {
			if r.Name == b.Name && r.Peer != base && r.Median > 0 && b.Median > 0 { // a pick-up can be negative
				ratio := b.Median / r.Median
				rows[i].Ratio = &ratio
			}
		}
	}
}
