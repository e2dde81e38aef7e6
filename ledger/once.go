package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

// Once makes an effect outside the database once for each job and step, and gives its result on every
// attempt. It must be called below a handler, with the handler's context.
//
// The intent is recorded before Do is called and the result after. An attempt that finds the intent
// without a result asks the remote (Confirm), where it can be asked; else calls Do again with the same
// key, while the remote still keeps it (KeyLife); else does what Doubt declares. Parked, the error is
// ErrInDoubt. A remote's "no" is no proof where it honours no keys: another attempt, frozen, may be
// about to ask.
//
// The result given is the recorded one, as JSON reads it, on the first attempt too. An effect that was
// made is recorded also when ctx has ended meanwhile. ErrLeaseLost: the job goes on elsewhere or has
// ended; what Do did meanwhile, if it was called, is listed as unknown.
func Once[R any](ctx context.Context, store Store, effect Effect[R]) (R, error) {
	var none R
	try, err := effect.try(ctx, store)
	if err != nil {
		return none, err
	}
	o := once[R]{effect, store, try}
	var entry Entry
	err = repeat(ctx, func() (err error) { entry, err = store.Intend(ctx, try); return })
	switch {
	case errors.Is(err, queue.ErrUnknownOutcome): // it may stand there, and nobody called
		return none, errors.Join(err, o.withdraw(ctx))
	case err != nil:
		return none, err
	case entry.State == Confirmed:
		return decode[R](entry.Key, entry.Result)
	case entry.Mine && !entry.DeniedBefore():
		return o.call(ctx, entry)
	}
	result, made, err := o.ask(ctx)
	switch {
	case err != nil:
		return none, errors.Join(err, o.withdraw(ctx))
	case made:
		return o.record(ctx, result)
	case entry.Mine, rest(entry, effect.KeyLife) > 0, effect.Doubt == Resend:
		return o.call(ctx, entry)
	}
	return o.park(ctx)
}

// once is one try of an effect.
type once[R any] struct {
	Effect[R]
	store Store
	try   Try
}

// rest is how long the remote still keeps the key; 0: it keeps none, or forgot it, or nobody can tell. It counts from
// before the first call, by the store's clock alone, so the remote, which counts from when it got that call, keeps it
// longer. A clock that shows less than then was set back, and says nothing of how long ago that is.
func rest(entry Entry, life time.Duration) time.Duration {
	ago := entry.Now.Sub(entry.FirstSentAt)
	if ago < 0 {
		return 0
	}
	return max(0, life-ago)
}

// call makes the effect and records it. The call ends with the key's life at the latest. What that
// cannot rule out, and nothing can, is a call that is sent in time and reaches the remote after it
// forgot the key, as from a process frozen in between: the remote then acts again.
func (o once[R]) call(ctx context.Context, entry Entry) (R, error) {
	var none R
	if ctx.Err() != nil {
		return none, errors.Join(ended(ctx, o.try.Key().String()), o.withdraw(ctx))
	}
	within := ctx
	if life := rest(entry, o.KeyLife); o.KeyLife > 0 && life > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, life)
		defer cancel()
	}
	result, err := o.Do(within, o.try.Key().String())
	if saysNotDone(err) {
		return none, errors.Join(err, o.withdraw(ctx))
	}
	if err != nil {
		return none, err
	}
	return o.record(ctx, result)
}

// ask asks the remote whether the effect was made; false where it cannot be asked.
func (o once[R]) ask(ctx context.Context) (R, bool, error) {
	if o.Confirm == nil {
		var none R
		return none, false, nil
	}
	return o.Confirm(ctx, o.try.Key().String())
}

// withdraw takes the intent back, of which this try knows that it led to no call, or to one that did
// nothing. The store leaves what another wrote or has seen.
func (o once[R]) withdraw(ctx context.Context) error {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	return repeat(ctx, func() error { _, err := o.store.Withdraw(ctx, o.try); return err })
}

// record records the result and gives what stands in the ledger then.
func (o once[R]) record(ctx context.Context, result R) (R, error) {
	var none R
	ctx, cancel := afterwards(ctx)
	defer cancel()
	recorded, bad := json.Marshal(result)
	if bad != nil {
		recorded = nil
	}
	err := repeat(ctx, func() error { return o.store.Confirm(ctx, o.try, recorded) })
	switch {
	case errors.Is(err, queue.ErrState):
		return o.standing(ctx, err)
	case err != nil:
		return none, errors.Join(err, bad)
	case bad != nil:
		_, err := decode[R](o.try.Key(), nil)
		return none, errors.Join(err, bad)
	}
	return decode[R](o.try.Key(), recorded)
}

// park leaves the effect to a person.
func (o once[R]) park(ctx context.Context) (R, error) {
	var none R
	err := repeat(ctx, func() error { return o.store.Doubt(ctx, o.try) })
	switch {
	case errors.Is(err, queue.ErrState):
		return o.standing(ctx, err)
	case err != nil:
		return none, err
	}
	key := o.try.Key()
	return none, &queue.Error{Op: "effect", Subject: key.String(), Reason: queue.ErrInDoubt,
		Detail: "an attempt before this one may or may not have made it, and nobody can be asked",
		Remedy: "find out whether it happened under this key, then say so: `twice dead resolve " + key.Job.String() + "`"}
}

// standing gives the result that another attempt recorded meanwhile; where there is none, err.
func (o once[R]) standing(ctx context.Context, err error) (R, error) {
	var none R
	entries, failed := o.store.Entries(ctx, o.try.Lease.Job.ID)
	for _, e := range entries {
		if e.Key == o.try.Key() && e.State == Confirmed {
			return decode[R](e.Key, e.Result)
		}
	}
	return none, errors.Join(err, failed)
}

// recordWithin bounds what is still written after the handler's context has ended.
const recordWithin = 5 * time.Second

// afterwards is a context for what must be written although ctx may have ended: what is known of the
// world outside.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
}

// repeat makes a call to the store, and again while its outcome is unknown: a lost reply is no reason
// to leave an effect in doubt.
func repeat(ctx context.Context, call func() error) error {
	var err error
	for range 3 {
		if err = call(); !errors.Is(err, queue.ErrUnknownOutcome) || ctx.Err() != nil {
			break
		}
	}
	return err
}
