package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// Within makes an effect that is a change of the same database once for each job and step: do works in
// the transaction of tx, and its result is recorded there, so that both commit or neither. A repeat
// gets the recorded result, and do is not called. It must be called below a handler, with the
// handler's context.
//
// After any error the caller must roll back; then nothing was made. do's own error is given as it is.
func Within[R any](ctx context.Context, tx Tx, step string, do func(ctx context.Context) (R, error)) (R, error) {
	var none R
	if err := queue.CheckName("step", step); err != nil {
		return none, err
	}
	try, err := tryOf(ctx, step, 0)
	if err != nil {
		return none, err
	}
	entry, found, err := tx.Recorded(ctx, try)
	switch {
	case err != nil:
		return none, err
	case found:
		return decode[R](entry.Key, entry.Result)
	}
	result, err := do(ctx)
	if err != nil {
		return none, err
	}
	recorded, err := json.Marshal(result)
	if err != nil {
		return none, &queue.Error{Op: "effect", Subject: try.Key().String(), Reason: ErrResult,
			Detail: fmt.Sprintf("a %T cannot be recorded as JSON; roll back", result), Cause: err}
	}
	if err := tx.Record(ctx, try, recorded); err != nil {
		return none, err
	}
	return decode[R](try.Key(), recorded)
}
