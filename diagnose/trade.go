package diagnose

import "github.com/twicehq/twice/queue"

// trade is what came and what was done within the window.
type trade struct {
	steps             []step
	seconds           float64
	arrivals, endings float64 // per second
}

// step is the same between two samples.
type step struct{ seconds, came, ended float64 }

// ended counts the jobs of the queue that are done, dead or cancelled, or were.
func ended(d *queue.Depth) int64 { return d.Accepted - d.Queued - d.Running }

// active counts those that are due or run.
func active(d *queue.Depth) int64 { return max(0, d.Queued-int64(d.Waiting.N)) + d.Running }

// stepOf compares two samples. A job comes when it is due: one that is to run tomorrow comes tomorrow, and one that
// goes back for a while comes again. Where more wait than are counted, all that are accepted come.
func stepOf(a, b *queue.Depth) step {
	s := step{seconds: b.AsOf.Sub(a.AsOf).Seconds()}
	done := ended(b) - ended(a)
	came := done + active(b) - active(a)
	if a.Waiting.More || b.Waiting.More {
		came = b.Accepted - a.Accepted
	}
	s.came, s.ended = float64(max(0, came)), float64(max(0, done))
	return s
}

func (v *view) trade() *trade {
	if v.traded == nil {
		v.traded = tradeOf(v.moments)
	}
	return v.traded
}

func tradeOf(moments []moment) *trade {
	t := &trade{}
	for i := 1; i < len(moments); i++ {
		if s := stepOf(moments[i-1].depth, moments[i].depth); s.seconds > 0 {
			t.steps = append(t.steps, s)
			t.seconds += s.seconds
			t.arrivals += s.came
			t.endings += s.ended
		}
	}
	if t.seconds > 0 {
		t.arrivals /= t.seconds
		t.endings /= t.seconds
	}
	return t
}

// rising is how many of the steps brought more than was done.
func (t *trade) rising() (n int) {
	for _, s := range t.steps {
		if s.came > s.ended {
			n++
		}
	}
	return n
}
