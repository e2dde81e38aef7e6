package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Drained waits until every accepted job has ended.
func (f *Field) Drained(ctx context.Context) error {
	look, err := queue.Need[queue.Inspector](f.Store.Engine, "campaign")
	if err != nil {
		return err
	}
	var last queue.Depth
	var away error
	err = f.Until(ctx, "every job has ended", func(ctx context.Context) (bool, error) {
		depths, err := look.Depths(ctx, Queue)
		if away = err; passing(err) {
			return false, nil
		}
		if err != nil || len(depths) == 0 {
			return false, err
		}
		last = depths[0]
		if last.Queued > 0 || last.Running > 0 || !f.cfg.Redriven {
			return last.Queued == 0 && last.Running == 0, nil
		}
		waiting, err := f.gaveUp(ctx, 1)
		if away = err; passing(err) {
			return false, nil
		}
		return len(waiting) == 0, err
	})
	if err != nil {
		return fmt.Errorf("%w; %d queued, %d running, %d done, %d dead; the store's last word: %v", err, last.Queued, last.Running, last.Done, last.Dead, away)
	}
	return nil
}

// passing reports whether the same call may be answered later: an engine's server may be down for a moment.
func passing(err error) bool {
	return errors.Is(err, queue.ErrUnknownOutcome) || errors.Is(err, queue.ErrUnavailable)
}

// quiet waits until no handler runs in a live process, but poison, which acts on nothing: from then on nothing late can
// happen outside.
func (f *Field) quiet(ctx context.Context) error {
	return f.Until(ctx, "no handler runs", func(context.Context) (bool, error) {
		for _, p := range f.Processes() {
			if p.live() && f.world.acting(p.Name) {
				return false, nil
			}
		}
		return true, nil
	})
}

// person is who answers doubts.
var person = queue.Actor{Name: "campaign", Why: "the remote's log says so"}

// resolve answers every doubt as a person would, by the remote's log, and waits until the jobs have run
// again. It gives how many there were.
func (f *Field) resolve(ctx context.Context) (int, error) {
	look, err := queue.Need[queue.Inspector](f.Store.Engine, "campaign")
	if err != nil {
		return 0, err
	}
	resolved := 0
	for {
		if err := f.quiet(ctx); err != nil {
			return resolved, err
		}
		page, err := look.List(ctx, queue.Query{Queue: Queue, State: queue.Dead, Reason: queue.ReasonDoubt, Limit: queue.MaxPage})
		if err != nil || len(page.Records) == 0 {
			return resolved, err
		}
		for _, rec := range page.Records {
			if err := f.answer(ctx, rec.Job.ID); err != nil {
				return resolved, err
			}
			resolved++
		}
		if err := f.Drained(ctx); err != nil {
			return resolved, err
		}
	}
}

func (f *Field) answer(ctx context.Context, id queue.ID) error {
	key := ledger.Key{Job: id, Step: stepMail}
	happened := f.Remote.mailed(key.String()) > 0
	var result []byte
	if happened {
		result, _ = json.Marshal(made{})
	}
	_, err := ledger.Resolve(ctx, f.Store.Engine, f.Store.Ledger, person, key, happened, result)
	return err
}
