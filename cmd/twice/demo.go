package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/twicehq/twice/examples/orders/demo"
	"github.com/twicehq/twice/queue"
)

type demoCmd struct {
	Keep          bool   `help:"When all is shown leave everything running, and say where, until Ctrl-C."`
	Seed          uint64 `help:"Draws amounts, and in which order things happen again." default:"1" placeholder:"N"`
	WithoutLedger bool   `help:"Take the ledger away from the shop in which all must hold: to see the demo fail."`
	Orders        int    `hidden:"" help:"How many orders are placed while there is no worker." default:"500"`
	Binary        string `hidden:"" help:"The program that the processes run; this one unless given." placeholder:"PATH"`
}

func (demoCmd) Help() string {
	return `Use it to see in half a minute what twice promises, done for real on this machine: an orders API, two worker processes, a payment gateway and a mail server, on an SQLite file or, with --engine, on Redis; they are overloaded, killed, frozen and made to run everything twice. Each scene tells what was done, what was seen, and whether what it claims holds. Exit status 0 only if all do. It needs nothing installed, uses a store of its own (TWICE_ENGINE is not heeded; --engine names a file that it makes, or a server that holds no jobs yet, and leaves), and removes everything else it made.

    twice demo
    twice demo --json > demo.json
    twice demo --keep
    twice demo --engine redis://127.0.0.1:6379/9
    twice demo --without-ledger; test $? = 1`
}

const demoOp = "demo"

func (c demoCmd) Run(ctx context.Context, k *kong.Context, s *session) (err error) {
	cfg := demo.Config{Binary: c.Binary, Seed: c.Seed, Orders: c.Orders, WithoutLedger: c.WithoutLedger, Admin: c.Keep}
	if c.Orders < 1 || c.Orders > 2000 {
		return usagef(demoOp, "use 1 to 2,000", "--orders is %d", c.Orders)
	}
	for _, f := range k.Flags() {
		if f.Name == "engine" && f.Set {
			cfg.Engine = s.url
		}
	}
	if cfg.Binary == "" {
		if cfg.Binary, err = os.Executable(); err != nil {
			return &queue.Error{Op: demoOp, Reason: queue.ErrUnavailable, Detail: "this program cannot be found to start its processes", Cause: err}
		}
	}
	if cfg.Dir, err = os.MkdirTemp("", "twice-demo-"); err != nil {
		return &queue.Error{Op: demoOp, Reason: queue.ErrUnavailable, Detail: "no temporary folder can be made", Cause: err, Remedy: "make room, or name another folder with TMPDIR"}
	}
	if !c.Keep {
		defer func() { _ = os.RemoveAll(cfg.Dir) }()
	}
	log, err := os.Create(filepath.Join(cfg.Dir, "demo.log"))
	if err != nil {
		return &queue.Error{Op: demoOp, Reason: queue.ErrUnavailable, Cause: err}
	}
	defer func() { _ = log.Close() }()
	cfg.Logger = slog.New(slog.NewJSONHandler(log, nil))
	return c.play(ctx, s, cfg)
}

// play plays the demo in the folder of cfg and tells of it. Afterwards no process of it is left.
func (c demoCmd) play(ctx context.Context, s *session, cfg demo.Config) error {
	show := &demoShow{s: s, width: s.width()}
	cfg.Begins, cfg.Ends = show.begins, show.ends
	d, err := demo.Open(ctx, cfg)
	inOrder := false
	defer func() { d.Close(inOrder) }()
	if err != nil {
		return err
	}
	show.opening(d.Facts(), c.WithoutLedger)
	report, err := d.Play(ctx)
	show.stop()
	if err != nil {
		return &queue.Error{Op: demoOp, Reason: err, Detail: "it was ended before all was shown", Remedy: "run it again; nothing of this run goes on"}
	}
	inOrder = report.Holds // else there may be no time for it
	if err := c.tell(s, show, report, d, cfg.Dir); err != nil {
		return err
	}
	if c.Keep {
		<-ctx.Done()
	}
	if !report.Holds {
		return errBad
	}
	return nil
}

// demoView is the demo in JSON.
type demoView struct {
	demo.Report
	Kept *keptView `json:"kept,omitempty"`
}

// keptView says what is left running, and where.
type keptView struct {
	Folder string       `json:"folder"`
	Places []demo.Place `json:"places"`
	Stop   string       `json:"stop"`
}

func (c demoCmd) tell(s *session, show *demoShow, report demo.Report, d *demo.Demo, dir string) error {
	v := demoView{Report: report}
	if c.Keep {
		v.Kept = &keptView{dir, d.Places(), fmt.Sprintf("kill -TERM %d, then rm -r %s", os.Getpid(), dir)}
	}
	if s.json {
		return s.emit(v)
	}
	show.closing(report)
	if v.Kept != nil {
		show.kept(*v.Kept)
	}
	return show.err
}
