package httpapi

import (
	"context"
	"iter"
	"net/url"

	"github.com/twicehq/twice/diagnose"
)

// Queue gives the counts of one queue. ErrNotFound where nothing was ever handed in to it.
func (c *Client) Queue(ctx context.Context, name string) (Queue, error) {
	return read[Queue](ctx, c, "look up queue", v1+"queues/"+url.PathEscape(name), nil)
}

// PauseQueue lets no job of the queue begin. ErrNotFound where nothing was ever handed in to it, unless evenNew.
func (c *Client) PauseQueue(ctx context.Context, name, why string, evenNew bool) (Paused, error) {
	return send[Paused](ctx, c, "pause queue", v1+"queues/"+url.PathEscape(name)+"/pause", Pausing{evenNew, Why{why, c.cfg.Who}})
}

// ResumeQueue lets its jobs begin again.
func (c *Client) ResumeQueue(ctx context.Context, name, why string) (Paused, error) {
	return send[Paused](ctx, c, "resume queue", v1+"queues/"+url.PathEscape(name)+"/resume", Why{why, c.cfg.Who})
}

// Verdict says what is the matter with a queue.
func (c *Client) Verdict(ctx context.Context, name string) (diagnose.Finding, error) {
	return read[diagnose.Finding](ctx, c, "look up verdict", v1+"queues/"+url.PathEscape(name)+"/verdict", nil)
}

// Verdicts gives what is the matter with each queue, by name.
func (c *Client) Verdicts(ctx context.Context) iter.Seq2[diagnose.Finding, error] {
	return each(ctx, c, "list verdicts", v1+"verdicts", nil, func(p Verdicts) ([]diagnose.Finding, string) { return p.Verdicts, p.Next })
}

// SlotsNeeded gives the scaling signal of a queue. ErrUnavailable where it is not known: then leave things as they are.
func (c *Client) SlotsNeeded(ctx context.Context, name string) (Slots, error) {
	return read[Slots](ctx, c, "look up slots", v1+"queues/"+url.PathEscape(name)+"/slots", nil)
}

// PauseSchedule keeps an entry from firing.
func (c *Client) PauseSchedule(ctx context.Context, name, why string) (Paused, error) {
	return send[Paused](ctx, c, "pause schedule", v1+"schedules/"+url.PathEscape(name)+"/pause", Why{why, c.cfg.Who})
}

// ResumeSchedule lets it fire again.
func (c *Client) ResumeSchedule(ctx context.Context, name, why string) (Paused, error) {
	return send[Paused](ctx, c, "resume schedule", v1+"schedules/"+url.PathEscape(name)+"/resume", Why{why, c.cfg.Who})
}

// RunSchedule runs an entry's job now, beside its schedule. run.At names the run: give the same again in a repeat.
func (c *Client) RunSchedule(ctx context.Context, name string, run ScheduleRun) (Receipt, error) {
	run.Who = c.who(run.Who)
	return send[Receipt](ctx, c, "run schedule", v1+"schedules/"+url.PathEscape(name)+"/run", run)
}

// Audit gives the books, counted by scan: it takes time in proportion to what is stored.
func (c *Client) Audit(ctx context.Context) (Audit, error) {
	return read[Audit](ctx, c, "audit", v1+"audit", nil)
}

// Abilities says what the engine behind the API is, promises and can do, and what the token allows.
func (c *Client) Abilities(ctx context.Context) (Abilities, error) {
	return read[Abilities](ctx, c, "look up abilities", v1+"abilities", nil)
}

// Live says whether the API's process is worth keeping. What is unwell stands in the answer and is no error.
func (c *Client) Live(ctx context.Context) (Health, error) {
	return read[Health](ctx, c, "live", "/livez", nil)
}

// Ready says whether the work goes on there and its engine can serve. What is unwell stands in the answer and is no
// error.
func (c *Client) Ready(ctx context.Context) (Health, error) {
	return read[Health](ctx, c, "ready", "/readyz", nil)
}
