package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/twicehq/twice/proof/ground"
	"github.com/twicehq/twice/proof/prove"
	"github.com/twicehq/twice/queue"
)

type proveCmd struct {
	Time time.Duration `help:"The time box: no attack begins after it (${default})." default:"2m" placeholder:"LENGTH"`
	Once bool          `help:"One round of each part, however long that takes, and no more."`
	Seed uint64        `help:"Draws where and when attacks strike; 0: a new one. The report tells it." placeholder:"N"`
	Only []string      `help:"Only these parts, by comma, such as F2,F3,C1." placeholder:"PART"`
	HTML string        `name:"html" help:"Write the report as one HTML page, too." placeholder:"FILE"`
	Keep bool          `help:"Leave the logs of every part; else only of those that were broken or failed."`
}

func (proveCmd) Help() string {
	var b strings.Builder
	b.WriteString(`Use it to see for yourself what an engine holds, on your machine and your disk: the proof kit on the orders application, and every campaign, by real worker processes that are killed, frozen and starved, on a store of its own. Each control takes a protection away, and must be found broken. Exit status 0 only if all holds, and every control was caught.

    twice prove                                          # SQLite, in temporary files
    twice prove --engine sqlite:/data/jobs.db --time 1h  # on that disk, in files beside it
    twice prove --engine redis:                          # on redis-servers that it starts and kills
    twice prove --engine redis://127.0.0.1:6379/9 --html proof.html

A server that is named by its address is not killed; keys made there have a prefix of their own, and are deleted.

Parts:
`)
	for _, p := range prove.Parts() {
		fmt.Fprintf(&b, "\n    %-4s %s", p.ID, p.Title)
	}
	return b.String()
}

const proveOp = "prove"

func (c proveCmd) Run(ctx context.Context, k *kong.Context, s *session) (err error) {
	url := "sqlite:"
	for _, f := range k.Flags() {
		if f.Name == "engine" && f.Set {
			url = s.url
		}
	}
	if c.Time < time.Second || c.Time > 48*time.Hour {
		return usagef(proveOp, "use 1s to 48h", "--time is %s", c.Time)
	}
	if err := c.known(); err != nil {
		return err
	}
	page, err := c.page()
	if err != nil {
		return err
	}
	g, err := ground.On(url)
	if err != nil {
		return &unreachable{err}
	}
	if c.Seed == 0 {
		c.Seed = rand.Uint64N(1_000_000_000)
	}
	dir, err := os.MkdirTemp("", "twice-prove-")
	if err != nil {
		return &queue.Error{Op: proveOp, Reason: queue.ErrUnavailable, Detail: "no temporary folder can be made", Cause: err, Remedy: "make room, or name another folder with TMPDIR"}
	}
	log, err := os.Create(filepath.Join(dir, proveLog))
	if err != nil {
		return &queue.Error{Op: proveOp, Reason: queue.ErrUnavailable, Cause: err}
	}
	defer func(before *slog.Logger) { // engines in this process say there what would be in the way here
		slog.SetDefault(before)
		_ = log.Close()
	}(slog.Default())
	slog.SetDefault(slog.New(slog.NewJSONHandler(log, nil)))
	show := &proveShow{s: s, width: s.width()}
	show.opening(url, c)
	report, err := prove.Run(ctx, prove.Config{Ground: g, Time: c.Time, Seed: c.Seed, Only: c.Only, Dir: dir, Handlers: provedHandlers(), Tell: show.told, Once: c.Once, Keep: c.Keep})
	show.stop()
	if ctx.Err() != nil {
		_ = os.RemoveAll(dir)
		return &queue.Error{Op: proveOp, Reason: ctx.Err(), Detail: "it was ended before all was fought", Remedy: fmt.Sprintf("run it again, with --seed %d for the same draws; no process and no store of it is left", c.Seed)}
	}
	kept := c.kept(dir)
	if err != nil {
		return err
	}
	return c.tell(s, show, report, page, kept)
}

// known refuses parts that there are not.
func (c proveCmd) known() error {
	var all []string
	for _, p := range prove.Parts() {
		all = append(all, p.ID)
	}
	for _, id := range c.Only {
		if !strings.Contains(","+strings.Join(all, ",")+",", ","+id+",") {
			return usagef(proveOp, "choose of "+strings.Join(all, ", "), "there is no part %.20q", id)
		}
	}
	return nil
}

// page opens the file of the HTML page before anything is done, so that an hour's proof is not lost for a misspelt folder.
func (c proveCmd) page() (*os.File, error) {
	if c.HTML == "" {
		return nil, nil
	}
	f, err := os.Create(c.HTML)
	if err != nil {
		return nil, &queue.Error{Op: proveOp, Subject: c.HTML, Reason: queue.ErrInvalid, Detail: "the page cannot be written there", Cause: err, Remedy: "name a file in a folder that exists and that you may write to"}
	}
	return f, nil
}

// proveLog is the name of what this process itself logs.
const proveLog = "prove.log"

// kept removes the folder where no part left anything in it, and else gives its name.
func (c proveCmd) kept(dir string) string {
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err == nil && len(left) > 1 {
		return dir
	}
	_ = os.RemoveAll(dir)
	return ""
}

func (c proveCmd) tell(s *session, show *proveShow, report prove.Report, page *os.File, kept string) error {
	if page != nil {
		if err := errors.Join(prove.WriteHTML(page, report), page.Close()); err != nil {
			return &queue.Error{Op: proveOp, Subject: c.HTML, Reason: errOutput, Cause: err, Remedy: "see where the page goes"}
		}
	}
	if s.json {
		if err := s.emit(report); err != nil {
			return err
		}
	} else {
		show.closing(report, kept, c.HTML)
	}
	if !report.Holds || !report.Complete {
		return errBad
	}
	return show.err
}
