package main

import (
	"context"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

type topCmd struct {
	Every time.Duration `help:"How often it looks." default:"2s" placeholder:"LENGTH"`
}

func (topCmd) Help() string {
	return `Use it to watch all queues at once: for each the verdict, what waits and since when, what runs, and how fast jobs come and go. Up and down choose, enter looks into a queue and then into a job, esc goes back, q ends. Where its output is no terminal it looks once, like diagnose, and ends with 1 when a person must act.

    twice top
    twice top --every 10s --engine redis://127.0.0.1:6379/0`
}

const topOp = "top"

// looksInTop is how many looks a verdict rests on there: those of a minute at the default.
const looksInTop = 30

func (c topCmd) Run(ctx context.Context, s *session) error {
	if c.Every < 500*time.Millisecond || c.Every > time.Hour {
		return usagef(topOp, "use 500ms to 1h", "--every is %s", c.Every)
	}
	engine, look, err := with[queue.Inspector](ctx, s, topOp)
	if err != nil {
		return err
	}
	t := &top{s: s, engine: engine, look: look, every: c.Every,
		watch: diagnose.NewWatch(engine, diagnose.Config{Rules: diagnose.Rules{Every: c.Every, Window: looksInTop}})}
	if s.json || !s.Terminal(s.Stdout) || !s.Terminal(s.Stdin) {
		return t.once(ctx)
	}
	return t.live(ctx)
}

// top is what is looked at, and where in it.
type top struct {
	s      *session
	engine queue.Engine
	look   queue.Inspector
	watch  *diagnose.Watch
	every  time.Duration

	way    []place // from the overview to what is shown, which is last
	shown  screen
	width  int
	height int
}

// once looks for two intervals, so that there are rates, and tells what it saw.
func (t *top) once(ctx context.Context) error {
	for range 3 {
		t.watch.Take(ctx)
		if !rest(ctx, t.every) {
			return ctx.Err()
		}
	}
	all := t.watch.Findings()
	if t.s.json {
		if all == nil {
			all = []diagnose.Finding{}
		}
		if err := t.s.emit(all); err != nil {
			return err
		}
	} else if err := t.overview(t.s); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(f diagnose.Finding) bool { return !f.Well }) {
		return errBad
	}
	return nil
}

// live shows it until a person has seen enough. The terminal is left as it was.
func (t *top) live(ctx context.Context) error {
	in, out := t.s.Stdin.(*os.File), t.s.Stdout.(*os.File)
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return &queue.Error{Op: topOp, Subject: "the terminal", Reason: queue.ErrUnsupported, Cause: err, Remedy: "use `twice diagnose --watch`"}
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	_, _ = out.WriteString("\x1b[?1049h\x1b[?25l") // another screen, no cursor
	defer func() { _, _ = out.WriteString("\x1b[?25h\x1b[?1049l") }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	keys := readKeys(in)
	t.way = []place{{}}
	fetched := make(chan screen, 1)
	busy := false
	fetch := func() {
		if !busy {
			busy = true
			at := t.way[len(t.way)-1]
			go func() { fetched <- t.see(ctx, at) }()
		}
	}
	tick := time.NewTicker(t.every)
	defer tick.Stop()
	fetch()
	for {
		if w, h, err := term.GetSize(int(out.Fd())); err == nil {
			t.width, t.height = w, h
		}
		if _, err := out.WriteString(t.frame()); err != nil {
			return nil // whoever looked has gone
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			fetch()
		case now := <-fetched:
			if busy = false; now.at == t.way[len(t.way)-1].name() {
				t.shown = now
			} else {
				fetch() // the person has gone on meanwhile
			}
		case k, open := <-keys:
			if !open || k == keyQuit {
				return nil
			}
			if t.press(k) {
				fetch()
			}
		}
	}
}
