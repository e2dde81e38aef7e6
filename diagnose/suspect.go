package diagnose

import "github.com/twicehq/twice/queue"

// completing: somewhere a job was done within the time after which it would take far longer than usual.
func (v *view) completing() bool {
	for _, m := range live(v.now().members) {
		for _, r := range m.Recent {
			if far, _ := v.far(r.Kind); r.Queue == v.queue && r.Done > 0 && v.quiet(m, r.Kind) <= far {
				return true
			}
		}
	}
	return false
}

// suspects gives the workers that will be stuck if they go on like this, where they are a good part of all: their slots are full,
// and most of the jobs in them had run for longer than such jobs usually take when they last told of it.
func (v *view) suspects() (names []string) {
	slots, all := 0, 0
	for _, m := range live(v.now().members) {
		all += m.slots
		overdue := 0
		for _, p := range m.Running {
			if v.overdue(m, p) {
				overdue++
			}
		}
		if m.free() > 0 || 2*overdue <= len(m.Running) {
			continue
		}
		slots, names = slots+m.slots, append(names, m.Name)
	}
	if 4*slots < all || slots < 2 {
		return nil
	}
	return names
}

// overdue: an attempt had run for longer than usual, and does not count as stuck yet.
func (v *view) overdue(m *member, p queue.Progress) bool {
	_, known := v.far(p.Kind)
	_, _, is := v.stuck(m, p)
	return known && !is && m.since(p.Since, m.SeenAt) > v.usual[p.Kind]
}
