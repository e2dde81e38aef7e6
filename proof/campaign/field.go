package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Field is where a campaign takes place: the store, the remote, the worker processes under supervision,
// and what all of them told. Run makes one of its own; tests of single cases use it directly.
type Field struct {
	Store  *Store
	Remote *Remote

	cfg   Config
	world *world
	wire  *wire
	crew  *crew
	// producers are processes, too, that only enqueue; there may be none.
	producers *crew
	trap      trap
	log       *os.File
	chronicle *chronicle // nil: no history is recorded

	healing sync.WaitGroup // of victims

	quit sync.Once
	err  error // of Leave
}

// Enter opens the store and starts the remote; there are no workers yet.
func Enter(ctx context.Context, cfg Config) (*Field, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	f := &Field{cfg: cfg, world: newWorld()}
	if f.log, err = os.OpenFile(filepath.Join(cfg.Dir, "workers.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, err
	}
	if f.wire, err = listen(f.heard); err != nil {
		return nil, errors.Join(err, f.Leave())
	}
	if f.Remote, err = newRemote(filepath.Join(cfg.Dir, "remote.log"), f.heard); err != nil {
		return nil, errors.Join(err, f.Leave())
	}
	history, err := newScribe(cfg)
	if err != nil {
		return nil, errors.Join(err, f.Leave())
	}
	r := role{History: history, URL: cfg.URL, Remote: f.Remote.url, Wire: f.wire.address(), Lease: cfg.Lease, Grace: cfg.Grace, Concurrency: cfg.Concurrency,
		MaxCrashes: cfg.MaxCrashes, MaxFailures: cfg.MaxFailures, Control: cfg.Control, Lone: cfg.Lone, Killers: cfg.Killers, Flat: cfg.Flat}
	f.crew = newCrew(workerNames, r, cfg.Command, f.log)
	r.Produces = true
	f.producers = newCrew(producerNames, r, cfg.Command, f.log)
	f.wire.start()
	f.Remote.start()
	if f.Store, err = open(ctx, cfg.Openers, cfg.URL); err != nil {
		return nil, errors.Join(err, f.Leave())
	}
	if f.chronicle, err = history.chronicle(f.Store); err != nil {
		return nil, errors.Join(err, f.Leave())
	}
	return f, nil
}

func (f *Field) heard(e Event) {
	f.world.heard(e)
	if e.Point == Ready {
		for _, c := range []*crew{f.crew, f.producers} {
			if p := c.find(e.Process); p != nil {
				p.isReady()
			}
		}
	}
	f.trap.pass(e)
}

// Hire starts n more worker processes and waits until all claim. Each that ends is started again at once.
func (f *Field) Hire(ctx context.Context, n int) error {
	for range n {
		f.crew.hire()
	}
	return f.crew.untilReady(ctx)
}

// produce starts n producers, which enqueue until they are ended.
func (f *Field) produce(ctx context.Context, n int) error {
	for range n {
		f.producers.hire()
	}
	return f.producers.untilReady(ctx)
}

// Processes gives the worker processes that run now.
func (f *Field) Processes() []*Process { return f.crew.processes() }

// Restarts is how often a process had to be started again.
func (f *Field) Restarts() int {
	n := 0
	for _, c := range []*crew{f.crew, f.producers} {
		begun, _ := c.starts()
		n += begun - len(c.processes())
	}
	return n
}

// Starts is how often a handler was told to have begun with the job.
func (f *Field) Starts(id queue.ID) int { return f.world.starts(id) }

// Count is how often a point was passed.
func (f *Field) Count(p Point) int { return f.world.count(p) }

// Until waits for a condition, looking every few milliseconds. It fails when ctx ends, when the condition
// fails, or when worker processes cannot be kept running.
func (f *Field) Until(ctx context.Context, what string, holds func(context.Context) (bool, error)) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		ok, err := holds(ctx)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("until %s: %w", what, err)
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("never: %s: %w", what, ctx.Err())
		case <-f.crew.over:
			_, err := f.crew.starts()
			return err
		case <-time.After(pause):
		}
	}
}

// Dismiss ends all worker processes: they may drain for their grace and a little more, then they are killed.
// All they told has been heard when it returns.
func (f *Field) Dismiss() error {
	ctx, cancel := context.WithTimeout(context.Background(), f.cfg.Grace+5*time.Second)
	defer cancel()
	return errors.Join(f.crew.close(ctx), f.wire.close(f.parting()))
}

// parting is how long the process of a suspect may take to end after its worker has: it asks for its lease, and
// drains.
func (f *Field) parting() time.Duration { return f.cfg.Grace + 2*lastWord }

// Leave ends whatever still runs and closes the store. It may be called again.
func (f *Field) Leave() error {
	f.quit.Do(func() {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		f.trap.unset() // no strike from here on
		var errs []error
		if f.crew != nil {
			errs = append(errs, f.crew.close(now), f.producers.close(now))
		}
		errs = append(errs, within(lastWord, "the attack leaves its victim alone", f.healing.Wait))
		if f.wire != nil {
			errs = append(errs, f.wire.close(f.parting()))
		}
		if f.Remote != nil {
			errs = append(errs, f.Remote.close())
		}
		if f.Store != nil {
			var err error
			errs = append(errs, within(lastWord, "the store is closed", func() { err = f.Store.Close() }))
			if errs[len(errs)-1] == nil {
				errs = append(errs, err)
			}
		}
		f.err = errors.Join(append(errs, f.log.Close())...)
	})
	return f.err
}
