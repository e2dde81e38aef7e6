package worker

import (
	"context"
	"log/slog"
	"strings"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// logObserver logs events: what went well at Info or below, what may need a person at Warn, what does at
// Error. Of a payload only what its kind allows by name is logged; errors are scrubbed, cut at maxLogged bytes and
// kept on one line.
type logObserver struct {
	log      *slog.Logger
	handlers map[string]*handler // of the worker: complete once it runs
}

const maxLogged = 1 << 10

func (o logObserver) Observe(ctx context.Context, e Event) {
	level := levelOf(e)
	if !o.log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 16)
	if e.Lease != nil {
		attrs = append(attrs, attemptAttrs(e.Lease)...)
	}
	attrs = append(attrs, slog.String("worker", e.Worker))
	if e.Outcome != 0 {
		attrs = append(attrs, slog.String("outcome", e.Outcome.String()))
	}
	if s := e.Settlement; s != nil {
		attrs = append(attrs, slog.String("state", s.State.String()))
		if s.Reason != "" {
			attrs = append(attrs, slog.String("reason", string(s.Reason)))
		}
		if !s.RunAt.IsZero() {
			attrs = append(attrs, slog.Time("run_at", s.RunAt))
		}
		if s.Error != "" && e.Err == nil && e.What != Settled {
			attrs = append(attrs, slog.String("error", oneLine(s.Error)))
		}
	}
	if e.Call != "" {
		attrs = append(attrs, slog.String("call", e.Call))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", oneLine(e.Err.Error())))
	}
	if e.Wait > 0 {
		attrs = append(attrs, slog.Float64("wait_s", e.Wait.Seconds()))
	}
	if e.Run > 0 {
		attrs = append(attrs, slog.Float64("run_s", e.Run.Seconds()))
	}
	if e.N > 0 {
		attrs = append(attrs, slog.Int("n", e.N))
	}
	if h := o.handlerOf(e); h != nil {
		if payload, ok := payloadAttr(e.Lease.Job.Payload, h.rules.LogFields); ok {
			attrs = append(attrs, payload)
		}
	}
	if e.What == LoneStarted {
		attrs = append(attrs, slog.Bool("alone", e.Alone))
	}
	o.log.LogAttrs(ctx, level, messages[e.What], attrs...)
}

// handlerOf gives the handler whose kind says what may be logged of the payload, where the event is one at which that
// is done.
func (o logObserver) handlerOf(e Event) *handler {
	if e.Lease == nil || (e.What != Started && e.What != Ended) {
		return nil
	}
	return o.handlers[e.Lease.Job.Kind]
}

var messages = [...]string{
	Started: "attempt started", Ended: "attempt ended", Settled: "attempt settled", LeaseLost: "lease lost",
	Deaf: "handler deaf to its context: slot written off", Heard: "deaf handler returned: slot back", Claimed: "jobs claimed",
	EngineError: "engine call failed, made again", LedgerError: "ledger not sealed, tried again",
	Unsettled: "attempt not settled: its lease runs out", Given: "job given back without a run",
	LoneStarted: "suspect started", LoneEnded: "suspect's process ended", Stalled: "claim loop does not move",
	Moving: "claim loop moves again", Pruned: "ended jobs forgotten", Draining: "shutdown: no more claims", Drained: "shutdown over",
}

func levelOf(e Event) slog.Level {
	switch e.What {
	case Started, Settled, Claimed, Pruned:
		return slog.LevelDebug
	case Ended:
		switch {
		case e.Settlement != nil && e.Settlement.State == queue.Dead:
			return slog.LevelError
		case e.Outcome == queue.OutcomeDone, e.Outcome == queue.OutcomeSnoozed, e.Outcome == queue.OutcomeInterrupted:
			return slog.LevelInfo
		}
		return slog.LevelWarn
	case LoneEnded, Drained:
		if e.Err != nil || (e.What == Drained && e.N > 0) {
			return slog.LevelWarn
		}
		return slog.LevelInfo
	case LoneStarted:
		if !e.Alone {
			return slog.LevelWarn
		}
		return slog.LevelInfo
	case LeaseLost, EngineError, LedgerError:
		return slog.LevelWarn
	case Deaf, Stalled, Unsettled:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// attemptAttrs names the request, the job and the attempt.
func attemptAttrs(l *queue.Lease) []slog.Attr {
	attrs := make([]slog.Attr, 0, 8)
	if id := l.Job.Headers[queue.HeaderRequest]; id != "" {
		attrs = append(attrs, slog.String("request_id", oneLine(id)))
	}
	if id := traceID(l.Job.Headers[queue.HeaderTrace]); id != "" {
		attrs = append(attrs, slog.String("trace_id", oneLine(id)))
	}
	return append(attrs, slog.String("job_id", l.Job.ID.String()), slog.String("kind", l.Job.Kind),
		slog.String("queue", l.Job.Queue), slog.Int64("attempt", l.Token))
}

// traceID is the second part of a W3C traceparent.
func traceID(traceparent string) string {
	_, rest, _ := strings.Cut(traceparent, "-")
	id, _, _ := strings.Cut(rest, "-")
	return id
}

// oneLine makes a text safe for a log: scrubbed, valid, on one line, cut.
func oneLine(text string) string { return twice.Scrub(text, maxLogged) }
