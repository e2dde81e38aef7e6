package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// roleEnv makes a process a worker of a campaign.
const roleEnv = "TWICE_CAMPAIGN_ROLE"

// role is what a worker process is told.
type role struct {
	Name        string
	URL         string // of the engine
	Remote      string
	Wire        string
	Lease       time.Duration
	Grace       time.Duration
	Concurrency int
	MaxCrashes  int
	MaxFailures int
	Control     Control
	Lone        bool // suspects run in processes of their own
	Alone       bool // this is one
	Killers     time.Time
	Flat        bool // it tells what it holds
	Produces    bool // it enqueues and works nothing
	History     *scribe
}

func (r role) environment() []string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // a role is made of plain fields
	}
	return append(os.Environ(), roleEnv+"="+string(text))
}

// Main ends the process after its work, if it was started as a worker of a campaign; else it returns at
// once. Call it first in main, or in TestMain. openers open engines by the scheme of their URL.
func Main(openers map[string]Opener) {
	text := os.Getenv(roleEnv)
	if text == "" {
		return
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	if err == nil {
		err = r.play(openers)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// play works until SIGTERM, then drains.
func (r role) play(openers map[string]Opener) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	logger := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	slog.SetDefault(logger)
	tell, err := dial(r.Wire, r.Name)
	if err != nil {
		return err
	}
	store, err := open(ctx, openers, r.URL)
	if err != nil {
		return err
	}
	defer store.Close()
	engine, err := r.follow(store)
	if err != nil {
		return err
	}
	if r.Produces {
		return r.produce(ctx, store, tell)
	}
	cfg := worker.Config{Name: r.Name, Concurrency: r.Concurrency, Lease: r.Lease, Grace: r.Grace, Margin: time.Second, Logger: logger,
		Observers: []worker.Observer{worker.ObserverFunc(func(_ context.Context, e worker.Event) { observe(tell, e) })}}
	if store.Seals {
		cfg.Ledger = store.Ledger
	}
	if r.Lone {
		alone := r
		alone.Name, alone.Alone = r.Name+".lone", true
		cfg.Lone = &worker.Lone{Args: []string{"lone"}, Env: alone.environment()}
	}
	w := worker.New(engine, cfg)
	kind := Kind(r.MaxCrashes, r.MaxFailures)
	h := &hand{store: store, remote: newClient(r.Remote, r.Name, r.Concurrency), tell: tell.tell, control: r.Control, alone: r.Alone}
	worker.Handle(w, kind, h.run)
	if r.Alone {
		return w.RunLone(ctx, os.Stdin, os.Stdout)
	}
	if !r.Killers.IsZero() {
		s := cron.New(engine, cron.Config{Logger: logger})
		s.Add(cron.Of(Schedule, "@every 1s", "", kind, r.scheduled))
		go func() { _ = s.Run(ctx) }()
	}
	if r.Flat {
		go pulse(ctx, tell.tell)
	}
	tell.tell(Event{Point: Ready})
	return w.Run(ctx)
}

// controlled gives an engine without the protection that the campaign takes away.
func (r role) controlled(e queue.Engine) queue.Engine {
	switch r.Control {
	case FenceOff:
		return unfenced{e}
	case CrashesOff:
		return uncounted{e}
	}
	return e
}

// Schedule is the entry of worker processes that keep one.
const Schedule = "campaign.tick"

// scheduled gives the job of an instant: up to a time, one that kills its process.
func (r role) scheduled(due time.Time) Args {
	a := Args{N: 10 * int(due.Unix())} // none mails
	if !due.After(r.Killers) {
		a.Do = Kill
	}
	return a
}

// observe tells what the worker saw of its leases.
func observe(t *teller, e worker.Event) {
	switch {
	case e.Lease == nil:
	case e.What == worker.Settled && e.Outcome == queue.OutcomeDone:
		t.tell(Event{Point: Done, Job: e.Lease.Job.ID, Token: e.Lease.Token})
	case e.What == worker.LoneStarted:
		t.tell(Event{Point: Suspect, Job: e.Lease.Job.ID, Token: e.Lease.Token})
	case e.What == worker.LeaseLost:
		t.tell(Event{Point: LeaseLost, Job: e.Lease.Job.ID, Token: e.Lease.Token})
	}
}
