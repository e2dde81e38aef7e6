package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/twicehq/twice/bench/suite"
)

type options struct {
	suite.Config
	scenarios []suite.Scenario
	groups    []group
	base      string
	json      bool
}

// parse reads the command line.
func parse(args []string, log io.Writer) (o options, err error) {
	all := sets()
	bySet := func(s set) string { return s.name }
	byGroup := func(g group) string { return g.name }
	byScenario := func(s suite.Scenario) string { return s.Name }
	byPeer := func(c suite.Contestant) string { return c.Name }

	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(log)
	chosen := f.String("set", all[0].name, "the set of peers: "+names(all, bySet))
	help := map[string]string{}
	for _, s := range all {
		help["only"] += fmt.Sprintf("\n%s: %s", s.name, names(s.scenarios, byScenario))
		help["peers"] += fmt.Sprintf("\n%s: %s", s.name, names(s.groups[0].contestants, byPeer))
	}
	only := f.String("only", "", "scenarios, by comma (default all)"+help["only"])
	peers := f.String("peers", "", "peers, by comma (default all)"+help["peers"])
	persist := f.String("persist", "", "persistence of the redis set's server, by comma (default all): "+names(all[1].groups, byGroup))
	f.StringVar(&o.base, "base", all[0].groups[0].contestants[0].Name, "the peer whose ratio to the others is shown")
	f.BoolVar(&o.json, "json", false, "print JSON instead of Markdown")
	f.IntVar(&o.Runs, "runs", 3, "runs kept for each figure")
	f.IntVar(&o.Extra, "extra", 1, "further rounds allowed when other processes disturbed some")
	f.IntVar(&o.Backlog, "n", 50_000, "jobs waiting before a drain")
	f.IntVar(&o.Rest, "rest", 1_000_000, "jobs at rest in the scenarios that have them")
	f.DurationVar(&o.Length, "dur", 3*time.Second, "length of an enqueue run")
	f.DurationVar(&o.Cap, "cap", 5*time.Second, "longest time that a drain is timed; its rate is that of the jobs done by then")
	f.DurationVar(&o.Probe, "probe", 500*time.Millisecond, "length of the fsync probe beside each round")
	f.DurationVar(&o.Gate, "gate", 3*time.Second, "longest wait for a quiet machine before a run")
	f.Float64Var(&o.Quiet, "quiet", 0.5, "cores used by other processes from which a run counts as disturbed")
	f.IntVar(&o.Samples, "samples", 200, "pick-ups in a run")
	f.StringVar(&o.Profiles, "prof", "", "write CPU profiles of the first round into this directory")
	f.StringVar(&o.Dir, "dir", "", "make the stores below this directory (default: the system's for temporary files)")
	quiet := f.Bool("q", false, "show no progress")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is not an option", f.Arg(0))
	}
	picked, err := choose("set", *chosen, all, bySet)
	if err != nil {
		return o, err
	}
	if len(picked) != 1 {
		return o, fmt.Errorf("-set is %q: name one of %s", *chosen, names(all, bySet))
	}
	if o.scenarios, err = choose("scenario", *only, picked[0].scenarios, byScenario); err != nil {
		return o, err
	}
	if o.groups, err = choose("persistence", *persist, picked[0].groups, byGroup); err != nil {
		return o, err
	}
	for i, g := range o.groups {
		if _, err := choose("peer", o.base, g.contestants, byPeer); err != nil {
			return o, err
		}
		if o.groups[i].contestants, err = choose("peer", *peers, g.contestants, byPeer); err != nil {
			return o, err
		}
	}
	o.Log = log
	if *quiet {
		o.Log = io.Discard
	}
	return o, o.Check()
}

// choose picks by name, in the order of all.
func choose[T any](what, list string, all []T, name func(T) string) (chosen []T, err error) {
	if list == "" {
		return all, nil
	}
	want := map[string]bool{}
	for n := range strings.SplitSeq(list, ",") {
		want[strings.TrimSpace(n)] = true
	}
	for _, x := range all {
		if want[name(x)] {
			chosen = append(chosen, x)
			delete(want, name(x))
		}
	}
	for n := range want {
		return nil, fmt.Errorf("there is no %s %q; there are %s", what, n, names(all, name))
	}
	return chosen, nil
}

func names[T any](all []T, name func(T) string) string {
	var s []string
	for _, x := range all {
		s = append(s, name(x))
	}
	return strings.Join(s, ", ")
}
