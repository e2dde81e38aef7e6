package proof

import (
	"context"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// recorded gives the ledger's entries of the job by step; nil where all was forgotten.
func (t *trial) recorded() map[string]ledger.State {
	if t.reaped {
		return nil
	}
	entries, err := t.store.Entries(context.Background(), t.job.ID)
	t.must("read the ledger", err)
	states := map[string]ledger.State{}
	for _, e := range entries {
		states[e.Key.Step] = e.State
	}
	return states
}

// balance adds the books up.
func (t *trial) balance() {
	if auditor, ok := queue.As[queue.Auditor](t.engine); ok {
		books, err := auditor.Audit(context.Background())
		t.must("audit the engine", err)
		for _, b := range books {
			if n := b.Missing(); n != 0 {
				t.fail("A queue must lose nothing: this is a fault of the engine.", "the engine's books do not add up: %d jobs of queue %s are missing", n, b.Queue)
			}
		}
	}
	if err := t.p.books(t.world); err != nil {
		t.fail("", "the books do not balance: %v", err)
	}
}
