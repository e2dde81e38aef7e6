package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/queue"
)

type benchCmd struct {
	Only            []string      `help:"Only these scenarios, by comma: enqueue_1, enqueue_64, bulk, drain, both_16, pickup, drain_rest." placeholder:"NAME"`
	Runs            int           `help:"Runs of each scenario; the median is shown (${default})." default:"3" placeholder:"N"`
	Duration        time.Duration `help:"How long a run stores jobs; a drain may take five times as long (${default})." default:"2s" placeholder:"LENGTH"`
	Backlog         int           `help:"Jobs that wait when a drain begins (${default})." default:"20000" placeholder:"N"`
	Rest            int           `help:"Drain also with this many jobs at rest in the same store." placeholder:"N"`
	Workers         int           `help:"Slots of the worker (${default})." default:"1000" placeholder:"N"`
	YesUseThisStore bool          `help:"Use the store that --engine or TWICE_ENGINE names although there are jobs in it."`
}

func (benchCmd) Help() string {
	return `Use it to see what an engine does on your machine and your disk: jobs stored by 1 and by 64 producers and in bulk, a backlog drained, both at once, and how soon an idle worker picks a job up. Jobs do nothing and carry 100 bytes. Without an engine named it makes temporary SQLite files and removes them; in a named store it uses queues whose names begin with bench- and works them empty.

Figures depend on the disk above all: compare those of one run only, and see what an fsync took beside them.

    twice bench --engine sqlite:/data/bench.db`
}

const benchOp = "bench"

// Bounds of a run.
const (
	benchMost    = 500_000 // jobs stored in an enqueue run
	benchSamples = 200     // pick-ups
	benchProbe   = 200 * time.Millisecond
)

func (c benchCmd) Run(ctx context.Context, s *session) error {
	scenarios, err := c.scenarios()
	if err != nil {
		return err
	}
	l, err := c.lab(ctx, s)
	if err != nil {
		return err
	}
	bar := s.progress(benchOp, int64(c.Runs*len(scenarios)))
	view := benchView{Settings: benchSettings{c.Runs, c.Duration.Seconds(), c.Backlog, c.Rest, c.Workers}}
	for _, sc := range scenarios {
		var v benchScenario
		if v, err = l.scenario(ctx, sc, func() { bar.add(1) }); err != nil {
			err = fmt.Errorf("%s: %w", sc.Name, err)
			break
		}
		view.Scenarios = append(view.Scenarios, v)
	}
	stays, closing := l.close(ctx)
	bar.end()
	switch {
	case err != nil:
		return err
	case closing != nil:
		return closing
	}
	view.about(s, l, stays)
	return view.show(s)
}

// scenarios gives those asked for, in the order in which they run, or all that is wrong with the flags.
func (c benchCmd) scenarios() (chosen []loadtest.Scenario, err error) {
	var problems []*queue.Error
	wrong := func(remedy, detail string, args ...any) {
		problems = append(problems, &queue.Error{Reason: queue.ErrInvalid, Detail: fmt.Sprintf(detail, args...), Remedy: remedy})
	}
	within := func(flag string, n, least, most int) {
		if n < least || n > most {
			wrong(fmt.Sprintf("use %d to %d", least, most), "--%s is %d", flag, n)
		}
	}
	within("runs", c.Runs, 1, 100)
	within("backlog", c.Backlog, 100, 10_000_000)
	within("rest", c.Rest, 0, 100_000_000)
	within("workers", c.Workers, 1, 100_000)
	if c.Duration < time.Millisecond || c.Duration > 10*time.Minute {
		wrong("use 1ms to 10m", "--duration is %s", c.Duration)
	}
	all := []loadtest.Scenario{loadtest.Enqueue(1, false), loadtest.Enqueue(64, false), loadtest.Bulk(false),
		loadtest.Drain(false), loadtest.Both(), loadtest.Pickup(), loadtest.Drain(true)}
	var names []string
	for _, sc := range all {
		names = append(names, sc.Name)
		asked := slices.Contains(c.Only, sc.Name)
		if asked && sc.Rest && c.Rest == 0 {
			wrong("add --rest N", "%s needs jobs at rest", sc.Name)
		}
		if asked || len(c.Only) == 0 && (!sc.Rest || c.Rest > 0) {
			chosen = append(chosen, sc)
		}
	}
	for _, name := range c.Only {
		if !slices.Contains(names, name) {
			wrong("choose of "+strings.Join(names, ", "), "there is no scenario %.40q", name)
		}
	}
	switch len(problems) {
	case 0:
		return chosen, nil
	case 1:
		problems[0].Op = benchOp
		return nil, problems[0]
	}
	var found queue.Problems
	for _, p := range problems {
		found = append(found, p)
	}
	return nil, &queue.Error{Op: benchOp, Reason: queue.ErrInvalid, Detail: fmt.Sprintf("%d problems", len(found)), Cause: found}
}
