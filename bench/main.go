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
	r, err := measure(ctx, o)
	if len(r.Sections) > 0 { // what was measured before an error is shown
		write := report.Markdown
		if o.json {
			write = report.JSON
		}
		err = errors.Join(err, write(out, r))
	}
	switch {
	case err != nil:
		fmt.Fprintln(log, "bench:", err)
		return 2
	case r.Failed:
		return 1
	}
	return 0
}

// measure runs what was chosen in a directory of its own, which it removes.
func measure(ctx context.Context, o options) (r report.Report, err error) {
	o.Dir, err = os.MkdirTemp(o.Dir, "twice-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(o.Dir)
	if disk.InMemory(o.Dir) {
		return r, fmt.Errorf("%s is in memory, where fsync does nothing: name a directory on a disk with -dir", o.Dir)
	}
	outcomes, err := suite.Run(ctx, o.Config, o.scenarios, o.contestants)
	return report.Make(o.Config, o.base, o.contestants, outcomes), err
}
