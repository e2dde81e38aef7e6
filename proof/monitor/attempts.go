package monitor

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// watched is what is kept of one job: its last attempts.
type watched struct {
	queue    string
	attempts [4]seen // by token, modulo
	ended    seen    // the attempt that ended it; zero: it was not seen to end
}

// seen is one attempt.
type seen struct {
	token   int64
	lease   queue.LeaseID
	counts  queue.Counts
	due     time.Time
	claimed time.Time
	started bool
	settled queue.State // 0: not yet
}

// Observe implements [worker.Observer]. It takes a lock, briefly, and waits for nothing.
func (m *Monitor) Observe(_ context.Context, e worker.Event) {
	if e.Lease == nil || e.What != worker.Started && e.What != worker.Settled {
		return
	}
	state := queue.Done // what is settled in a handler's own transaction is done
	if e.Settlement != nil {
		state = e.Settlement.State
	}
	m.note(func() []Finding { return m.attempt(e.What, e.Lease, state) })
}

func (m *Monitor) attempt(what worker.What, l *queue.Lease, state queue.State) (found []Finding) {
	broken := func(format string, args ...any) {
		found = append(found, Finding{Invariant: Fence, Job: l.Job.ID, Queue: l.Job.Queue, Says: fmt.Sprintf(format, args...)})
	}
	if l.ID.IsZero() || l.Token < 1 {
		broken("it %s without a lease", what)
		return found
	}
	job := m.jobs.of(l.Job.ID)
	job.queue = l.Job.Queue
	at := &job.attempts[l.Token%int64(len(job.attempts))]
	switch {
	case at.token > l.Token:
		return nil // so late that it is not known any more what was beside it
	case at.token < l.Token:
		*at = seen{token: l.Token, lease: l.ID, counts: l.Counts, due: l.DueAt, claimed: l.ClaimedAt}
	case at.lease != l.ID:
		broken("two leases of it have the token %d", l.Token)
		return found
	}
	if what == worker.Started {
		switch {
		case at.settled != 0:
			broken("token %d runs after it was settled as %s", l.Token, at.settled)
		case at.started:
			broken("token %d runs a second time", l.Token)
		}
		at.started = true
	} else {
		if at.settled != 0 && at.settled != state {
			broken("token %d was settled as %s and as %s", l.Token, at.settled, state)
		}
		at.settled = state
		if state.Ended() && l.Token > job.ended.token {
			job.ended = *at
		}
	}
	for _, pair := range [][2]int64{{l.Token - 1, l.Token}, {l.Token, l.Token + 1}} {
		if says := follows(job.attempt(pair[0]), job.attempt(pair[1])); says != "" {
			broken("%s", says)
		}
	}
	return found
}

func (w *watched) attempt(token int64) seen {
	if token < 1 {
		return seen{}
	}
	if s := w.attempts[token%int64(len(w.attempts))]; s.token == token {
		return s
	}
	return seen{}
}

// anew is by how much later than the attempt before a job must be due to be taken for a new one of the same id: no
// engine forgets an id so soon.
const anew = time.Minute

// follows finds what cannot be of two attempts with no claim between them.
func follows(before, after seen) string {
	if before.settled == 0 || !after.started && after.settled == 0 || after.due.Sub(before.claimed) >= anew {
		return ""
	}
	redriven := after.counts.Redrives > before.counts.Redrives
	switch {
	case before.settled == queue.Done, before.settled == queue.Dead && !redriven:
		return fmt.Sprintf("it was settled as %s at token %d, and was leased again", before.settled, before.token)
	case after.counts.Crashes > before.counts.Crashes:
		return fmt.Sprintf("token %d was settled as %s though its lease was lost with no word to token %d", before.token, before.settled, after.token)
	}
	return ""
}
