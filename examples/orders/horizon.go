package orders

import (
	"errors"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/worker"
)

// How late the application lets a job come back: dead letters that people send back, and requests that
// clients repeat.
const (
	redriveWindow = 7 * 24 * time.Hour
	clientRetries = 24 * time.Hour
)

// remembers fails unless effects are remembered for longer than any job can come back.
func (a *App) remembers(keepFor time.Duration) error {
	var errs []error
	for _, rules := range []twice.Rules{a.Kinds.Charge.Rules(), a.Kinds.Receipt.Rules(), a.Kinds.Reconcile.Rules()} {
		errs = append(errs, ledger.Horizon{
			Kind: rules.Kind, Timeout: rules.Timeout, LeaseTTL: worker.DefaultLease,
			MaxFailures: rules.Caps.Failures, MaxCrashes: rules.Caps.Crashes, MaxInterruptions: rules.Caps.Interruptions,
			BackoffBase: rules.BackoffBase, BackoffLimit: rules.BackoffLimit,
			Redrive: redriveWindow, Producer: clientRetries,
		}.Check(keepFor))
	}
	return errors.Join(errs...)
}
