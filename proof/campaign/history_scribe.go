package campaign

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// scribe says how the processes of a campaign write down what they ask of the store: each in a file of its own, a line
// before each call and one after it. A kill takes nothing away that was written, and what has no end has an unknown
// outcome.
type scribe struct {
	What  History
	Dir   string
	Clock history.Clock // of the campaign: all its processes are on one host
}

// HistoryDir is the folder of a campaign's history in its Dir; [history.ReadFolder] reads it.
const HistoryDir = "history"

// newScribe gives nil where nothing is to be recorded.
func newScribe(cfg Config) (*scribe, error) {
	if cfg.History == "" {
		return nil, nil
	}
	clock, err := history.NewClock()
	if err != nil {
		return nil, err
	}
	s := &scribe{cfg.History, filepath.Join(cfg.Dir, HistoryDir), clock}
	return s, os.Mkdir(s.Dir, 0o700) // which fails where another campaign's history is
}

// recorder writes to a new file, since processes of suspects share a name. It is open as long as the process.
func (s *scribe) recorder(name string, failed func(error)) (*history.Recorder, error) {
	file, err := os.CreateTemp(s.Dir, name+"-*.jsonl")
	if err != nil {
		return nil, err
	}
	return history.NewLog(file, s.Clock.Now, failed), nil
}

// follow has everything recorded that a worker or producer process asks of its store, and gives the engine that
// workers are to have.
func (r role) follow(store *Store) (queue.Engine, error) {
	bare := store.Engine
	if r.History == nil {
		return r.controlled(bare), nil
	}
	rec, err := r.History.recorder(r.Name, func(err error) { // a history with a gap would refuse what is sound
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	})
	if err != nil {
		return nil, err
	}
	store.Engine, store.Data = rec.Engine(bare, r.Name), recordedData{store.Data, rec, r.Name}
	if r.History.What == HistoryOfWorkers {
		return rec.Engine(r.controlled(bare), r.Name), nil
	}
	return r.controlled(store.Engine), nil
}

// recordedData is an application whose transactions are recorded, as far as they ask something of the engine.
type recordedData struct {
	Data
	rec  *history.Recorder
	name string
}

// Transact implements [Data].
func (d recordedData) Transact(ctx context.Context, fn func(context.Context, Tx) error) error {
	t := d.rec.Transaction(d.name)
	rolledBack := true
	err := d.Data.Transact(ctx, func(ctx context.Context, tx Tx) error {
		if tx.Jobs != nil {
			tx.Jobs = t.In(tx.Jobs)
		}
		err := fn(ctx, tx)
		rolledBack = err != nil
		return err
	})
	t.End(rolledBack, err)
	return err
}

// Close closes the data where they can be closed.
func (d recordedData) Close() error {
	if c, ok := d.Data.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// chronicle is the campaign's own part of its history.
type chronicle struct {
	*scribe
	*history.Recorder

	mu  sync.Mutex
	err error // the first
}

// chronicle has everything recorded that the campaign itself asks of its store.
func (s *scribe) chronicle(store *Store) (*chronicle, error) {
	if s == nil {
		return nil, nil
	}
	c := &chronicle{scribe: s}
	var err error
	c.Recorder, err = s.recorder("campaign", func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err == nil {
			c.err = err
		}
	})
	if err == nil {
		store.Engine = c.Engine(store.Engine, "campaign")
	}
	return c, err
}

// written fails where something could not be.
func (c *chronicle) written() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
