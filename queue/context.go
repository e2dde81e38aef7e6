package queue

import (
	"context"
	"sync/atomic"
)

// Holding is what runs an attempt: its lease, for those below the handler that fence by it (package
// ledger), and their word that the attempt was settled in a transaction of theirs.
type Holding struct {
	Lease   Lease
	settled atomic.Bool
}

// MarkSettled says that the attempt was settled in a transaction: the worker need not do it again.
func (h *Holding) MarkSettled() { h.settled.Store(true) }

// Settled reports whether MarkSettled was called.
func (h *Holding) Settled() bool { return h.settled.Load() }

type holdingKey struct{}

// WithHolding returns ctx carrying h.
func WithHolding(ctx context.Context, h *Holding) context.Context {
	return context.WithValue(ctx, holdingKey{}, h)
}

// HoldingFrom gives the attempt that ctx belongs to; false outside a handler.
func HoldingFrom(ctx context.Context) (*Holding, bool) {
	h, ok := ctx.Value(holdingKey{}).(*Holding)
	return h, ok
}
