package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/proof/ground"
	"github.com/twicehq/twice/queue"
)

// Config of a proof.
type Config struct {
	Ground *ground.Ground
	Time   time.Duration // the box: no round begins after it; a round that runs is let end
	Seed   uint64        // what is random follows from it; the machine's timing does not
	Only   []string      // the parts to fight, by id; none: all
	Dir    string        // an empty folder; each round gets one in it
	Once   bool          // one round of each part, however long it takes, and no more
	Keep   bool          // leave what is in them; else only of rounds that were broken or failed
	// Handlers are proved by the kit.
	Handlers []Handler
	// Command runs this program again as a worker process: its main calls campaign.Main(ground.Openers) first. Nil: this
	// program with the argument "worker".
	Command func() *exec.Cmd
	// Tell is told of each round's begin and end; nil: nobody is.
	Tell func(Told)
}

// Handler is a handler under proof, and perhaps one that must fail.
type Handler struct {
	Name    string
	Control bool // with its guard removed: the kit must find it broken
	Run     func(limits proof.Limits, fresh Fresh) (proof.Report, error)
}

// Fresh opens the engine under proof anew, with nothing in it, on a clock; nil: it is SQLite, and a file of one's own does.
type Fresh func(now func() time.Time) (queue.Engine, error)

// Told is what Config.Tell is told.
type Told struct {
	Part  Part
	Round int     // from 1
	Over  bool    // the round has ended
	So    *Result // what has become of the part so far; nil before its first round's end
}

type run struct {
	Config
	command func() *exec.Cmd
	ends    time.Time
	results map[string]*Result
	order   []Part
}

// Run fights all parts. It fails only where it is misused, or ctx ends; whatever came of a part is in the report.
func Run(ctx context.Context, cfg Config) (Report, error) {
	began := time.Now()
	r := &run{Config: cfg, command: cfg.Command, ends: began.Add(cfg.Time), results: map[string]*Result{}}
	if cfg.Ground == nil || cfg.Dir == "" || cfg.Time <= 0 {
		return Report{}, errors.New("prove: it needs a ground, a folder and a time")
	}
	known := map[string]bool{}
	for _, p := range Parts() {
		known[p.ID] = true
		if len(cfg.Only) == 0 || slices.Contains(cfg.Only, p.ID) {
			r.order = append(r.order, p)
			r.results[p.ID] = &Result{ID: p.ID, Title: p.Title, Shows: p.Shows, Control: p.Control}
		}
	}
	for _, id := range cfg.Only {
		if !known[id] {
			return Report{}, fmt.Errorf("prove: there is no part %.20q", id)
		}
	}
	for n := 1; ; n++ {
		again, err := r.pass(ctx, n)
		if err != nil {
			return Report{}, err
		}
		if !again || cfg.Once {
			break
		}
	}
	return r.report(ctx, began), nil
}

// pass fights each part once more, as far as there is time, and reports whether any was fought.
func (r *run) pass(ctx context.Context, n int) (again bool, err error) {
	for _, p := range r.order {
		res := r.results[p.ID]
		switch why, absent := r.Ground.Absent[p.ID]; {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case absent:
			res.Verdict, res.Why = LeftOut, why
			continue
		case n == 1 && !r.Once && time.Now().After(r.ends):
			res.Verdict, res.Why = OutOfTime, "the time was up before it began"
			continue
		case n > 1 && (p.once || res.Verdict != Held || time.Now().Add(res.last).After(r.ends)):
			continue
		}
		r.tell(p, n, false, res)
		if err := r.round(ctx, p, n, res); err != nil {
			return false, err
		}
		r.tell(p, n, true, res)
		again = again || n == 1 || res.Verdict == Held
	}
	return again, nil
}

func (r *run) tell(p Part, n int, over bool, res *Result) {
	if r.Tell == nil {
		return
	}
	t := Told{Part: p, Round: n, Over: over}
	if res.Rounds > 0 || over {
		t.So = res
	}
	r.Tell(t)
}

// round fights one. Its error is that of ctx.
func (r *run) round(ctx context.Context, p Part, n int, res *Result) error {
	began := time.Now()
	one := &round{run: r, part: p, seed: r.Seed + uint64(n) - 1, found: &found{}}
	err := one.fought(ctx, n)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	res.last = time.Since(began)
	res.take(p, one, err)
	return nil
}

func (r *round) fought(ctx context.Context, n int) (err error) {
	r.dir = filepath.Join(r.Dir, fmt.Sprintf("%s-%d", r.part.ID, n))
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		return err
	}
	if !r.part.bare {
		if r.place, err = r.Ground.Place(ctx, r.dir); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.place.Close()) }()
	}
	if err = r.part.fight(ctx, r); err == nil && !r.Keep && (len(r.found.broken) == 0 || r.part.Control) {
		err = os.RemoveAll(r.dir) // else its logs are kept
	}
	return err
}

// report sums up.
func (r *run) report(ctx context.Context, began time.Time) Report {
	report := Report{Engine: r.Ground.URL, Seed: r.Seed, Began: began, Box: r.Time.Seconds(), CPUs: runtime.NumCPU(), Holds: true, Complete: true}
	for _, p := range r.order {
		res := r.results[p.ID]
		report.Parts = append(report.Parts, res)
		if !res.Control {
			report.Totals.add(res.Figures)
		}
		report.Holds = report.Holds && res.Verdict.good()
		report.Complete = report.Complete && res.Verdict != OutOfTime
		for _, c := range res.Campaigns {
			report.Name, report.Durability = c.Engine, c.Durability
		}
	}
	report.Seconds = time.Since(began).Seconds()
	return report
}
