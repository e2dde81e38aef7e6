package prove

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

// Part is one attack, or one control.
type Part struct {
	ID      string // F0 … F15; C1 … for controls
	Title   string
	Shows   string // what must come of it
	Control bool   // a protection is taken away: it must be found broken
	once    bool   // nothing of it is left to chance
	bare    bool   // it needs no store
	jumps   bool   // it sets the clock off, by which a history is judged
	fight   func(context.Context, *round) error
}

// Parts gives all parts, in the order in which they are fought.
func Parts() []Part {
	var all []Part
	for _, some := range [][]Part{protocol, handlers, workers, engine, disks, clocks, jobs, upkeep, everything, controls, diskControls} {
		all = append(all, some...)
	}
	return all
}

// round is one fight of a part. Its errors say that it could not be carried out; what it found broken it notes.
type round struct {
	*run
	part  Part
	dir   string // of its own
	seed  uint64
	place *ground.Place // nil where the part needs none
	found *found
}

// found is what a round came to.
type found struct {
	Figures
	campaigns []campaign.Report
	broken    []string
	notes     []string
	spaces    []Space
}

func (r *round) broke(format string, args ...any) {
	r.found.broken = append(r.found.broken, fmt.Sprintf(format, args...))
}

func (r *round) note(format string, args ...any) {
	r.found.notes = append(r.found.notes, fmt.Sprintf(format, args...))
}

// patience bounds a campaign whose world does not come to rest.
const patience = 3 * time.Minute

// lease is short, so that what is frozen or killed is soon elsewhere.
const lease = 600 * time.Millisecond

// campaign runs one, on the round's own store where its config names none.
func (r *round) campaign(ctx context.Context, cfg campaign.Config) (campaign.Report, error) {
	cfg.Name, cfg.Seed, cfg.Dir, cfg.Timeout, cfg.Command = r.part.ID, r.seed, r.dir, patience, r.command
	if cfg.URL == "" {
		cfg.URL = r.place.URL
	}
	if cfg.Openers == nil {
		cfg.Openers = ground.Openers
	}
	if cfg.Lease == 0 {
		cfg.Lease = lease
	}
	if runtime.GOOS == "linux" && !r.part.Control && !r.part.jumps { // elsewhere processes share no clock that nobody sets
		cfg.History = campaign.HistoryOfEngine
	}
	report, err := campaign.Run(ctx, cfg)
	if err != nil {
		return report, err
	}
	r.found.campaigns = append(r.found.campaigns, report)
	r.found.Figures.count(report)
	if !r.part.Control {
		for _, b := range report.Breaches {
			r.broke("%s: %d, seed %d, such as %s", b.Rule, b.N, r.seed, first(b.Examples))
		}
	}
	return report, nil
}

func first(texts []string) string {
	if len(texts) == 0 {
		return "none that was kept"
	}
	return texts[0]
}

// caught says of a control's campaign whether it was found broken as it must be.
func (r *round) caught(report campaign.Report, rules ...string) {
	for _, rule := range rules {
		if n := report.Broken(rule); n > 0 {
			r.broke("%s: %d", rule, n)
		}
	}
}

// errShown fails a campaign that was carried out and showed nothing.
var errShown = errors.New("nothing was shown")

func (r *round) file(name string) string { return filepath.Join(r.dir, name) }
