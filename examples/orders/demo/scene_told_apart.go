package demo

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
)

// How verdicts are reached here, shorter than by default (6 s, 10 s, 30 s, 30 s), so that one need not wait for minutes. Workers
// tell of themselves every 5 s: what is far longer than usual cannot be less.
var quickly = diagnose.Rules{Every: time.Second, Window: 10, Grace: 2 * time.Second, Absent: 8 * time.Second, Far: 8 * time.Second}

// toldApart lets two shops fall behind at the same pace: in one the handlers hang, in the other there are too few of them.
// From outside both look alike.
func toldApart(ctx context.Context, d *Demo, r *record) error {
	const more = 5 // jobs a second that are left over
	windows := 2 * quickly.Every * time.Duration(quickly.Window)
	stuck := &falling{name: "stuck", arrivals: more, hangs: true, want: diagnose.StuckHandler, never: diagnose.UnderProvisioned}
	few := &falling{name: "few", arrivals: 2 * more, takes: slots * time.Second / more, want: diagnose.UnderProvisioned, never: diagnose.StuckHandler}
	r.did("let two more shops fall behind by %d jobs a second: in one the handlers hang, in the other %d slots do %d jobs a second and %d come; and asked for a verdict every %s",
		more, slots, more, 2*more, quickly.Every)
	var both sync.WaitGroup
	for _, f := range []*falling{stuck, few} {
		both.Go(func() { f.err = f.play(ctx, d, windows) })
	}
	both.Wait()
	for _, f := range []*falling{stuck, few} {
		if f.err != nil {
			return fmt.Errorf("the shop %s: %w", f.name, f.err)
		}
	}
	r.saw("after one window both had about as many jobs due (%d and %d). The hanging one, after %s: %q. The other, after %s: %q", stuck.depth, few.depth,
		short(stuck.took), stuck.says, short(few.took), few.says)
	for _, f := range []*falling{stuck, few} {
		r.check(f.said, "the shop "+f.name+" is said to be "+string(f.want)+" within two windows", "said: %v", f.verdicts)
		r.check(!f.mistaken, "it is never said to be "+string(f.never), "said: %v", f.verdicts)
		r.figure(f.name+"_verdict_seconds", round(f.took.Seconds()))
		r.figure(f.name+"_verdicts", f.verdicts)
		r.figure(f.name+"_due", f.depth)
	}
	r.check(stuck.depth > few.depth/2 && few.depth > stuck.depth/2, "their backlogs do not tell them apart", "%d and %d", stuck.depth, few.depth)
	return nil
}

// falling is a shop that falls behind.
type falling struct {
	name        string
	arrivals    int // orders a second
	hangs       bool
	takes       time.Duration // of a charge
	want, never diagnose.Verdict

	err            error
	said, mistaken bool
	verdicts       []diagnose.Verdict // each once, in the order in which they came
	says           string
	took           time.Duration
	depth          int64 // after one window
}

// play opens the shop, lets it do its usual work for a moment, then fall behind, and asks until the verdict comes or time is up.
func (f *falling) play(ctx context.Context, d *Demo, within time.Duration) error {
	w, err := openWorld(ctx, d.cfg, filepath.Join(d.cfg.Dir, f.name), "", true)
	defer func() { w.close(false) }()
	if err != nil {
		return err
	}
	if f.hangs {
		w.faults = []string{"late-=hang"}
	}
	if err := w.startAPI(ctx); err != nil {
		return err
	}
	if err := w.hire(ctx, f.name+"-worker"); err != nil {
		return err
	}
	usual, _, err := w.shop.place(ctx, names("usual", 3*slots)...)
	if err != nil {
		return err
	}
	if err := w.sent(ctx, "what is usual is done", usual...); err != nil {
		return err
	}
	w.base = gateway.Control{LatencyMS: f.takes.Milliseconds()}
	w.settle(ctx)
	watch := diagnose.NewWatch(w.engine, diagnose.Config{Rules: quickly, Queues: []string{jobs.PaymentsQueue}})
	began := time.Now()
	for n := 0; time.Since(began) < within; n++ {
		references := make([]string, f.arrivals)
		for i := range references {
			references[i] = fmt.Sprintf("late-%d-%d", n, i)
		}
		if _, _, err := w.shop.place(ctx, references...); err != nil {
			return err
		}
		watch.Take(ctx)
		for _, found := range watch.Findings() {
			f.take(found, time.Since(began))
		}
		if n == quickly.Window {
			if f.depth, err = due(ctx, w); err != nil {
				return err
			}
		}
		if f.said && n >= quickly.Window {
			return nil
		}
		if !pause(ctx, time.Until(began.Add(time.Duration(n+1)*quickly.Every))) {
			return ctx.Err()
		}
	}
	return nil
}

// due counts the charges that wait or run.
func due(ctx context.Context, w *world) (n int64, err error) {
	depths, err := w.look.Depths(ctx, jobs.PaymentsQueue)
	for _, d := range depths {
		n += d.Queued + d.Running
	}
	return n, err
}

func (f *falling) take(found diagnose.Finding, took time.Duration) {
	if n := len(f.verdicts); n == 0 || f.verdicts[n-1] != found.Verdict {
		f.verdicts = append(f.verdicts, found.Verdict)
	}
	f.mistaken = f.mistaken || found.Verdict == f.never
	if found.Verdict == f.want && !f.said {
		f.said, f.says, f.took = true, found.Says, took
	}
}

// pause waits; false where ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(max(0, d))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
