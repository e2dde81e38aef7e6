package cron

import (
	"context"
	"log/slog"
	"time"

	"github.com/twicehq/twice/queue"
)

// What says what happened.
type What uint8

const (
	Fired   What = iota + 1 // a job was made for Due; Skipped instants before it were not
	Beaten                  // another scheduler had fired it
	Failed                  // it could not be fired for Due, and is tried again: Err
	Strange                 // the engine's entry cannot be read by this program: Err. Others may know it
	Engine                  // the entries could not be stored or read, and it is tried again: Err
)

var whatNames = [...]string{"", "fired", "beaten", "failed", "strange", "engine_error"}

func (w What) String() string {
	if w > 0 && int(w) < len(whatNames) {
		return whatNames[w]
	}
	return "unknown"
}

// Event is one thing that happened in a scheduler.
type Event struct {
	What    What
	At      time.Time
	Entry   string
	Due     time.Time
	Skipped int // due instants that were missed before Due, and are not made up for
	Receipt queue.Receipt
	Err     error
}

// Observer is told of everything. It is called by the scheduler's one goroutine, and must not block.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// ObserverFunc is a function that observes.
type ObserverFunc func(context.Context, Event)

// Observe calls f.
func (f ObserverFunc) Observe(ctx context.Context, e Event) { f(ctx, e) }

// tell logs the event and tells the observers.
func (s *Scheduler) tell(ctx context.Context, e Event) {
	e.At = s.cfg.Now()
	level, message := slog.LevelInfo, "schedule fired"
	switch {
	case e.What == Beaten:
		level, message = slog.LevelDebug, "schedule fired elsewhere"
	case e.What == Fired && e.Skipped > 0:
		level, message = slog.LevelWarn, "schedule fired late: instants were missed and skipped"
	case e.What == Failed:
		level, message = slog.LevelWarn, "schedule not fired, tried again"
	case e.What == Strange:
		level, message = slog.LevelError, "schedule cannot be read by this program"
	case e.What == Engine:
		level, message = slog.LevelWarn, "engine call failed, made again"
	}
	if s.cfg.Logger.Enabled(ctx, level) {
		var attrs []slog.Attr
		if e.Entry != "" {
			attrs = append(attrs, slog.String("schedule", e.Entry))
		}
		if !e.Due.IsZero() {
			attrs = append(attrs, slog.Time("due", e.Due))
		}
		if !e.Receipt.ID.IsZero() {
			attrs = append(attrs, slog.String("job_id", e.Receipt.ID.String()))
		}
		if e.Skipped > 0 {
			attrs = append(attrs, slog.Int("skipped", e.Skipped))
		}
		if e.Err != nil {
			attrs = append(attrs, slog.String("error", e.Err.Error()))
		}
		s.cfg.Logger.LogAttrs(ctx, level, message, attrs...)
	}
	for _, o := range s.cfg.Observers {
		o.Observe(ctx, e)
	}
}
