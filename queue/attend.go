package queue

import (
	"context"
	"time"
)

// Presence lets workers say that they live.
type Presence interface {
	// Announce stores w under its Name and keeps it for ttl. It is also the engine's proof to itself that
	// it could serve a write.
	Announce(ctx context.Context, w Worker, ttl time.Duration) error
	// Withdraw removes it: the worker has ended in order.
	Withdraw(ctx context.Context, name string) error
	// Workers gives those whose ttl has not passed, and for as long again those who fell silent.
	Workers(ctx context.Context) ([]Worker, error)
}

// Worker is one worker process as it describes itself.
type Worker struct {
	Name     string
	Host     string
	PID      int
	Version  string
	Queues   []string
	Kinds    []string
	Slots    int // in all
	Busy     int
	Deaf     int // written off: their handler does not end
	LastPoll time.Time
	Started  time.Time
	SeenAt   time.Time // by the engine's clock, when announced
	Silent   bool      // its ttl has passed
	Running  []Progress
}

// Progress tells of one running attempt.
type Progress struct {
	Job     ID
	Kind    string
	Attempt int64
	Since   time.Time
	Done    int // of Total, as the handler reported; 0 of 0: it did not
	Total   int
}
