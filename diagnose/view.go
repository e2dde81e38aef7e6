package diagnose

import (
	"maps"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// view is what the samples say of one queue.
type view struct {
	queue   string
	rules   Rules
	last    *Sample  // the newest, whatever it holds
	moments []moment // the samples that have counts of the queue, oldest first, without a break
	gone    []Gone
	due     []Due
	held    Held
	usual   map[string]time.Duration // p99 by kind; a kind of which too little is known is not in it

	moved  map[string]*moves // by kind, over the window; made when first asked for
	traded *trade            // the same
}

// moment is one sample, as far as it concerns the queue.
type moment struct {
	now     time.Time // by the engine's clock
	depth   *queue.Depth
	members []*member // that are subscribed to the queue
}

func (v *view) now() moment { return v.moments[len(v.moments)-1] }

// index finds the parts of the samples by queue.
type index struct {
	samples []Sample
	depths  []map[string]*queue.Depth
	members []map[string][]*member
}

func indexed(samples []Sample) *index {
	x := &index{samples: samples}
	for i := range samples {
		depths, members := map[string]*queue.Depth{}, map[string][]*member{}
		for j := range samples[i].Queues {
			depths[samples[i].Queues[j].Queue] = &samples[i].Queues[j]
		}
		for j := range samples[i].Workers {
			m := believed(&samples[i].Workers[j])
			for _, name := range samples[i].Workers[j].Queues {
				if all := members[name]; len(all) == 0 || all[len(all)-1] != m { // a queue named twice
					members[name] = append(all, m)
				}
			}
		}
		x.depths, x.members = append(x.depths, depths), append(x.members, members)
	}
	return x
}

// names gives the queues of the newest sample that has any, or one without a name for the engine as a whole.
func (x *index) names() []string {
	for _, depths := range slices.Backward(x.depths) {
		if len(depths) > 0 {
			return slices.Sorted(maps.Keys(depths))
		}
	}
	if last := x.samples[len(x.samples)-1]; last.Down != "" || last.Unread != "" {
		return []string{""}
	}
	return nil
}

func (x *index) view(name string, rules Rules) *view {
	v := &view{queue: name, rules: rules, last: &x.samples[len(x.samples)-1], usual: map[string]time.Duration{}}
	for i := range x.samples {
		d := x.depths[i][name]
		if d == nil {
			continue
		}
		d = sound(*d)
		m := moment{now: d.AsOf, depth: d, members: x.members[i][name]}
		for _, w := range m.members {
			if w.SeenAt.After(m.now) && w.SeenAt.Sub(d.AsOf) <= queue.MaxCountAge {
				m.now = w.SeenAt // counts may be some seconds old
			}
		}
		if n := len(v.moments); n > 0 {
			if step := d.AsOf.Sub(v.moments[n-1].depth.AsOf); step < 0 || step > longestStep*rules.Every {
				v.moments = nil // the clock was set, or nobody looked for a while
			}
		}
		v.moments = append(v.moments, m)
	}
	v.recall()
	return v
}

// sound corrects counts that cannot be, so that no sum of them overflows.
func sound(d queue.Depth) *queue.Depth {
	for _, n := range []*int64{&d.Accepted, &d.Queued, &d.Running, &d.Done, &d.Dead, &d.Cancelled, &d.Pruned} {
		*n = min(max(0, *n), 1<<50)
	}
	for _, s := range []*queue.Seen{&d.Waiting, &d.Ready, &d.Expired} {
		s.N = min(max(0, s.N), 1<<50)
	}
	return &d
}

// longestStep is how many samples may be missing between two.
const longestStep = 5

// recall takes what a Watch remembers, and what is usual.
func (v *view) recall() {
	for _, u := range v.last.Usual {
		if u.Queue == v.queue && u.P99 > 0 {
			v.usual[u.Kind] = u.P99
		}
	}
	for _, g := range v.last.Gone {
		if slices.Contains(g.Queues, v.queue) {
			v.gone = append(v.gone, g)
		}
	}
	for _, d := range v.last.Due {
		if d.Queue == v.queue {
			v.due = append(v.due, d)
		}
	}
	for _, h := range v.last.Held {
		if h.Queue == v.queue && h.Jobs > 0 {
			v.held = h
		}
	}
	if len(v.moments) == 0 {
		return
	}
	for _, m := range v.now().members {
		for _, r := range m.Recent {
			if r.Queue == v.queue && r.Measured >= measured && r.P99 > 0 {
				v.usual[r.Kind] = max(v.usual[r.Kind], r.P99)
			}
		}
	}
}

// far is how long an attempt of the kind must take to take far longer than usual; false: what is usual is not known.
func (v *view) far(kind string) (time.Duration, bool) {
	p99, ok := v.usual[kind]
	if p99 > 1<<61 {
		return 1<<63 - 1, ok
	}
	return max(2*p99, v.rules.Far), ok
}
