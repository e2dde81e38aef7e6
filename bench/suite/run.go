package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/internal/loadtest"
)

// Outcome is all that a scenario gave.
type Outcome struct {
	Scenario Scenario
	Fsync    loadtest.Fsync // median of the probes, one beside each round
	Results  []Result       // one a contestant, in the order given
}

// Result is what one contestant gave in a scenario.
type Result struct {
	Contestant Contestant
	Samples    []Sample // the quietest runs with the best setting
	Err        error    // why there are none
	Offered    bool     // whether the contestant offers what the scenario needs
}

// Sample is one run.
type Sample struct {
	Values loadtest.Values
	Setting
	Foreign float64 // cores that other processes used meanwhile
}

// Setting is what is tried in turn; 0 is what the contestant has by itself.
type Setting struct{ Workers, Threads int }

// settings are those that a contestant asks for.
func settings(sc Scenario, c Contestant) (all []Setting) {
	counts, threads := []int{0}, []int{0}
	if sc.Sweep && len(c.Workers) > 0 {
		counts = c.Workers
	}
	if len(c.Threads) > 0 {
		threads = c.Threads
	}
	for _, n := range counts {
		for _, t := range threads {
			all = append(all, Setting{n, t})
		}
	}
	return all
}

// Run runs scenarios in order. What a contestant fails at is in the outcome; the error is for what
// stops everybody.
func Run(ctx context.Context, cfg Config, scenarios []Scenario, cs []Contestant) (out []Outcome, err error) {
	ids := new(atomic.Int64)
	r := &runner{cfg, ids, &stores{cfg.Dir, ids, cfg.Log, map[string]error{}, map[string]int64{}}}
	for _, sc := range scenarios {
		o, err := r.scenario(ctx, sc, cs)
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

type runner struct {
	cfg    Config
	ids    *atomic.Int64
	stores *stores
}

// scenario runs rounds of all contestants, until each has enough quiet runs or the rounds are used up.
func (r *runner) scenario(ctx context.Context, sc Scenario, cs []Contestant) (Outcome, error) {
	samples := make([][]Sample, len(cs))
	errs := make([]error, len(cs))
	var probes []loadtest.Fsync
	rounds := r.cfg.Runs + r.cfg.Extra
	if sc.Static != nil {
		rounds = 1
	}
	for i, c := range cs { // fill first, so that no round pays for it
		errs[i] = bounded(fillLimit+stuckAfter, r.cfg.Log, func() error {
			_, err := r.stores.template(ctx, c, r.rest(sc), r.waiting(sc))
			return err
		})
		if err := stops(ctx, sc, c, errs[i]); err != nil {
			return Outcome{}, err
		}
	}
	for n := 0; n < rounds && (n < r.cfg.Runs || !r.enough(samples, errs)); n++ {
		p, err := loadtest.Probe(r.cfg.Dir, r.cfg.Probe)
		if err != nil {
			return Outcome{}, err
		}
		probes = append(probes, p)
		for i, c := range cs {
			if errs[i] != nil {
				continue
			}
			var s []Sample
			s, errs[i] = r.contestant(ctx, sc, c, n)
			samples[i] = append(samples[i], s...)
			if err := stops(ctx, sc, c, errs[i]); err != nil {
				return Outcome{}, err
			}
		}
	}
	o := Outcome{Scenario: sc, Fsync: loadtest.MedianFsync(probes)}
	for i, c := range cs {
		res := Result{Contestant: c, Err: errs[i], Offered: !errors.Is(errs[i], loadtest.ErrCannot)}
		if errs[i] == nil {
			res.Samples = best(sc, samples[i], r.cfg.Runs)
		}
		o.Results = append(o.Results, res)
	}
	return o, nil
}

// stops says why nobody can go on, nil if the others can.
func stops(ctx context.Context, sc Scenario, c Contestant, err error) error {
	if errors.As(err, new(stuck)) {
		return fmt.Errorf("%s in %s: %w", c.Name, sc.Name, err)
	}
	return ctx.Err()
}

// contestant runs one round of one contestant: once for each setting.
func (r *runner) contestant(ctx context.Context, sc Scenario, c Contestant, round int) (all []Sample, err error) {
	if sc.Static != nil {
		v, err := sc.Static(ctx, r.cfg, r.stores, c)
		return []Sample{{Values: v}}, err
	}
	for _, set := range settings(sc, c) {
		var s Sample
		start := time.Now()
		err := bounded(runLimit+stuckAfter, r.cfg.Log, func() error {
			return r.stores.use(ctx, c, r.rest(sc), r.waiting(sc), func(store io.Closer) (err error) {
				s, err = r.sample(ctx, sc, c, store, set, round)
				return err
			})
		})
		if err != nil {
			return all, err
		}
		fmt.Fprintf(r.cfg.Log, "%s %s workers=%d threads=%d round=%d: %.4g %s (%.1f s in all)\n", sc.Name, c.Name, set.Workers, set.Threads, round+1,
			s.Values[sc.Figures[0].Name], sc.Figures[0].Unit, time.Since(start).Seconds())
		all = append(all, s)
	}
	return all, nil
}

func (r *runner) rest(sc Scenario) int    { return when(sc.Rest, r.cfg.Rest) }
func (r *runner) waiting(sc Scenario) int { return when(sc.Waiting, r.cfg.Backlog) }

func when(yes bool, n int) int {
	if yes {
		return n
	}
	return 0
}
