// Command limit measures the honest limit by itself: what SQLite does in plain SQL with no more than
// the promises' bare costs, by commit size, id index and jobs at rest. See ../README.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/twicehq/twice/bench/rawsql"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "limit:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context) error {
	runs := flag.Int("runs", 3, "runs of each figure")
	rest := flag.Int("rest", 1_000_000, "jobs at rest in the second half of the figures")
	length := flag.Duration("dur", 2*time.Second, "longest run of one operation")
	indexes := flag.String("index", "plain", "id indexes, by comma: plain (the reference), merged")
	asJSON := flag.Bool("json", false, "print JSON instead of Markdown")
	dir := flag.String("dir", "", "make the stores below this directory (default: the system's for temporary files)")
	flag.Parse()
	tmp, err := os.MkdirTemp(*dir, "twice-limit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	b := bench{dir: tmp, length: *length}
	for name := range strings.SplitSeq(*indexes, ",") {
		index := rawsql.Index(name)
		if index != rawsql.Plain && index != rawsql.Merged {
			return fmt.Errorf("there is no index %q; there are plain and merged", name)
		}
		for _, n := range []int{0, *rest} {
			if err := b.fill(ctx, index, n); err != nil {
				return err
			}
		}
	}
	for range *runs {
		if err := b.round(ctx); err != nil {
			return err
		}
	}
	if *asJSON {
		return json.NewEncoder(os.Stdout).Encode(b.rows())
	}
	return b.markdown(os.Stdout)
}
