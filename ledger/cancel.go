package ledger

import (
	"context"
	"errors"

	"github.com/twicehq/twice/queue"
)

// noLedger is the note on what was done without one.
const noLedger = "no ledger"

// cancelRounds bounds how often a job is sealed anew because it was claimed meanwhile: no job is
// claimed so often within moments, unless it does nothing but crash.
const cancelRounds = 10

// Cancel ends queued or running jobs for a person. Before a job is ended, the effects of whoever holds it
// are sealed, and what was made is listed on its record; where it is claimed in between, it is sealed
// again. With a nil store it is only ended, and the audit row says "no ledger".
//
// One error a job, in order: ErrState where it has ended already, ErrNotFound, or ErrLeaseLost where it
// was claimed faster than it could be sealed. The last error says that nothing is known of the batch.
func Cancel(ctx context.Context, engine queue.Engine, store Store, by queue.Actor, ids ...queue.ID) ([]error, error) {
	operator, err := queue.Need[queue.Operator](engine, "cancel")
	if err != nil {
		return nil, err
	}
	if err := by.Check("cancel"); err != nil {
		return nil, err
	}
	if store == nil {
		cuts := make([]queue.Cut, len(ids))
		for i, id := range ids {
			cuts[i] = queue.Cut{ID: id, Note: noLedger}
		}
		return operator.Cancel(ctx, by, cuts...)
	}
	inspector, err := queue.Need[queue.Inspector](engine, "cancel")
	if err != nil {
		return nil, err
	}
	errs, left := make([]error, len(ids)), make([]int, len(ids))
	for i := range ids {
		left[i] = i
	}
	for round := 0; len(left) > 0 && round < cancelRounds; round++ {
		var cuts []queue.Cut
		var cutting []int
		for _, i := range left {
			cut, err := sealed(ctx, inspector, store, ids[i])
			if errs[i] = err; err == nil {
				cuts, cutting = append(cuts, cut), append(cutting, i)
			}
		}
		if left = nil; len(cuts) == 0 {
			break
		}
		answers, err := operator.Cancel(ctx, by, cuts...)
		if err != nil {
			return nil, err
		}
		for n, i := range cutting {
			if errs[i] = answers[n]; errors.Is(answers[n], queue.ErrLeaseLost) {
				left = append(left, i)
			}
		}
	}
	return errs, nil
}

// sealed seals the job at the token that its row has now. One that has ended is not sealed: the engine will
// say that it has ended.
func sealed(ctx context.Context, inspector queue.Inspector, store Store, id queue.ID) (queue.Cut, error) {
	record, err := inspector.Job(ctx, id)
	if err != nil {
		return queue.Cut{}, err
	}
	cut := queue.Cut{ID: id, Sealed: true, Token: record.Token}
	if !record.State.Ended() {
		cut.Effects, err = store.Seal(ctx, id, record.Token)
	}
	return cut, err
}
