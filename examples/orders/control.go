package orders

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// domainOf gives the part of an address after the @.
func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

// forgetful is a ledger that remembers nothing: the control (Config.WithoutLedger). Every attempt is the
// first it sees.
type forgetful struct{}

var (
	_ ledger.Store = forgetful{}
	_ ledger.Tx    = forgetful{}
)

func (forgetful) Intend(_ context.Context, try ledger.Try) (ledger.Entry, error) {
	now := time.Now()
	return ledger.Entry{Key: try.Key(), State: ledger.Pending, Mine: true, FirstSentAt: now, Now: now}, nil
}
func (forgetful) Confirm(context.Context, ledger.Try, []byte) error             { return nil }
func (forgetful) Doubt(context.Context, ledger.Try) error                       { return nil }
func (forgetful) Withdraw(context.Context, ledger.Try) (bool, error)            { return true, nil }
func (forgetful) Seal(context.Context, queue.ID, int64) ([]queue.Effect, error) { return nil, nil }
func (forgetful) Entries(context.Context, queue.ID) ([]ledger.Entry, error)     { return nil, nil }
func (forgetful) MoveMark(context.Context, time.Time) error                     { return nil }
func (forgetful) Record(context.Context, ledger.Try, []byte) error              { return nil }
func (forgetful) Recorded(context.Context, ledger.Try) (ledger.Entry, bool, error) {
	return ledger.Entry{}, false, nil
}
func (forgetful) Answer(_ context.Context, _ queue.Actor, key ledger.Key, _ bool, _ []byte) error {
	return &queue.Error{Op: "answer", Subject: key.String(), Reason: queue.ErrNotFound, Detail: "the ledger is off"}
}
func (forgetful) Sweep(context.Context, int, func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	return 0, nil
}

// freshKeys asks the gateway under a key of its own each time, as an application does that keeps no
// record of what it asked for.
type freshKeys struct{ service.Gateway }

// Charge implements [service.Gateway].
func (f freshKeys) Charge(ctx context.Context, _, orderID string, amountCents int64, currency string) (gateway.Charge, error) {
	return f.Gateway.Charge(ctx, "control-"+rand.Text(), orderID, amountCents, currency)
}
