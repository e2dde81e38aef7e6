package diagnose

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// backlog is how many jobs are due and not running.
func backlog(d *queue.Depth) int64 {
	if d.Ready.More {
		waiting := int64(d.Waiting.N)
		return max(int64(d.Ready.N), d.Queued-waiting)
	}
	return int64(d.Ready.N) + int64(d.Expired.N)
}

// wait is how long the job has been due that has been so for longest.
func (m moment) wait() time.Duration {
	if m.depth.Ready.N == 0 || m.depth.OldestDue.IsZero() {
		return 0
	}
	return max(0, m.now.Sub(m.depth.OldestDue))
}

// late: a job has been due for longer than the grace of one that just arrived.
func (v *view) late(m moment) bool { return m.wait() > v.rules.Grace }

// lateNow reports whether the queue is late, and stays false where it is not known.
func (v *view) lateNow() bool { return len(v.moments) > 0 && v.late(v.now()) }

// trailing gives the moments at the end of the window for all of which ok holds.
func (v *view) trailing(ok func(moment) bool) []moment {
	i := len(v.moments)
	for i > 0 && ok(v.moments[i-1]) {
		i--
	}
	return v.moments[i:]
}

// lasting reports whether moments span the time after which an absence counts, or are all there is while a job
// has been due for that time.
func (v *view) lasting(moments []moment) bool {
	if len(moments) == 0 {
		return false
	}
	span := moments[len(moments)-1].now.Sub(moments[0].now)
	return span >= v.rules.Absent || (len(moments) == len(v.moments) && v.now().wait() >= v.rules.Absent)
}

// claimable is how many due jobs limits do not hold back.
func (v *view) claimable() int64 { return backlog(v.now().depth) - int64(v.held.Jobs) }
