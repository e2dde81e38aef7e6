package queue

import (
	"context"
	"time"
)

// Limiter keeps limits that claims obey.
type Limiter interface {
	SetLimit(ctx context.Context, by Actor, l Limit) error
	Limits(ctx context.Context) ([]Limit, error)
}

// Limit bounds what runs at once (Running) or what starts (Rate per Per) of a queue, of a kind in it,
// and, where EachGroup is set, of each group by itself.
type Limit struct {
	Queue, Kind string
	EachGroup   bool
	Running     int
	Rate        int
	Per         time.Duration
}
