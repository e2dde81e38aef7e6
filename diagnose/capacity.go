package diagnose

import (
	"math"
	"time"

	"github.com/twicehq/twice/queue"
)

// capacity compares what comes with what can be done; nil where nothing ran within the window.
func (v *view) capacity() *Capacity {
	t, all := v.trade(), v.all()
	if all.ended == 0 && v.now().depth.Running == 0 || t.seconds == 0 {
		return nil
	}
	c := &Capacity{Arrivals: t.arrivals, Completions: t.endings, Backlog: backlog(v.now().depth)}
	c.Utilisation, c.Slots = v.utilisation()
	c.Busy = c.Utilisation * float64(c.Slots)
	attempts := 1.0 // to end one job
	switch {
	case all.ended > 0:
		c.MeanRun = all.run / time.Duration(all.ended)
		if jobs := t.endings * t.seconds; jobs > 0 {
			attempts = max(1, float64(all.ended)/jobs)
		}
	default:
		c.MeanRun = v.meanEver()
		if c.MeanRun > 0 && c.Completions == 0 {
			c.Completions, c.Estimated = float64(v.now().depth.Running)/c.MeanRun.Seconds(), true
		}
	}
	each := max(attempts*c.MeanRun.Seconds(), v.occupies(t))
	c.Needed = int(min(1<<30, math.Ceil(c.Arrivals*each/target-1e-9)))
	if net := c.Completions - c.Arrivals; net > 0 && c.Backlog > 0 {
		c.Drained = later(v.now().now, float64(c.Backlog)/net)
	}
	if each > 0 && c.Backlog > 0 {
		if net := float64(c.Needed)/each - c.Arrivals; net > 0 {
			c.DrainedBy = later(v.now().now, float64(c.Backlog)/net)
		}
	}
	return c
}

// utilisation is the share of slots that were busy over the window, while there were any, and how many there were last.
func (v *view) utilisation() (share float64, slots int) {
	told := 0
	for _, m := range v.moments {
		all, busy := 0, 0
		for _, w := range live(m.members) {
			all, busy = all+w.slots, busy+w.busy
		}
		if all > 0 {
			told, share, slots = told+1, share+float64(busy)/float64(all), all
		}
	}
	return share / float64(max(1, told)), slots
}

// occupies is how many seconds of a slot one job takes in all, as those show that are full: also what settling and
// claiming take.
func (v *view) occupies(t *trade) float64 {
	if t.endings <= 0 || !v.lateNow() {
		return 0
	}
	var running float64
	for _, m := range v.moments {
		running += float64(m.depth.Running)
	}
	return running / float64(len(v.moments)) / t.endings
}

// meanEver is how long attempts of the queue took since the workers' start; 0: none ended.
func (v *view) meanEver() time.Duration {
	var sum moves
	for _, m := range v.now().members {
		for _, r := range m.Recent {
			if r.Queue == v.queue {
				sum.add(between(queue.Recent{}, r))
			}
		}
	}
	if sum.ended == 0 {
		return 0
	}
	return sum.run / time.Duration(sum.ended)
}

// later adds seconds to a time; beyond ten years nobody cares: zero.
func later(t time.Time, seconds float64) time.Time {
	if seconds > 10*365*24*3600 {
		return time.Time{}
	}
	return t.Add(time.Duration(seconds * float64(time.Second)))
}
