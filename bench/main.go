// Command bench measures Twice beside other queues, in the same run, on the same disk. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/twicehq/twice/bench/disk"
	"github.com/twicehq/twice/bench/report"
	"github.com/twicehq/twice/bench/suite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status: 0 good, 1 a peer failed at something, 2 usage or no run at all.
func run(ctx context.Context, args []string, out, log io.Writer) int {
	o, err := parse(args, log)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(log, "bench:", err)
		return 2
	}
	failed := false
	for _, g := range o.groups {
		r, err := measure(ctx, o, g)
		if len(r.Sections) > 0 { // what was measured before an error is shown
			err = errors.Join(err, show(out, o, g, r))
		}
		if err != nil {
			fmt.Fprintln(log, "bench:", err)
			return 2
		}
		failed = failed || r.Failed
	}
	if failed {
		return 1
	}
	return 0
}

// show writes one group's report; the reports in JSON follow one another.
func show(out io.Writer, o options, g group, r report.Report) error {
	if o.json {
		return report.JSON(out, r)
	}
	if g.title != "" {
		if _, err := fmt.Fprintf(out, "## %s\n", g.title); err != nil {
			return err
		}
	}
	return report.Markdown(out, r)
}

// measure runs what was chosen of a group in a directory of its own, which it removes.
func measure(ctx context.Context, o options, g group) (r report.Report, err error) {
	o.Dir, err = os.MkdirTemp(o.Dir, "twice-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(o.Dir)
	if disk.InMemory(o.Dir) {
		return r, fmt.Errorf("%s is in memory, where fsync does nothing: name a directory on a disk with -dir", o.Dir)
	}
	outcomes, err := suite.Run(ctx, o.Config, o.scenarios, g.contestants)
	return report.Make(o.Config, o.base, g.contestants, outcomes), err
}
