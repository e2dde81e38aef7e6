package proof

import "slices"

// maxShrinks bounds how many schedules are tried to tell a failure in fewer steps.
const maxShrinks = 500

// shrink looks for a shorter schedule that breaks the handler, too: without a move, or with a point that comes earlier.
func (p *plan) shrink(broken, reference *result) (*result, int) {
	tries := 0
	for again := true; again; {
		again = false
		for _, s := range shorter(broken.schedule) {
			if tries++; tries > maxShrinks {
				return broken, tries - 1
			}
			r := p.try(s, reference)
			if r.fired && r.broken(reference) != "" {
				broken, again = r, true
				break
			}
		}
	}
	return broken, tries
}

// shorter gives the schedules that are one move or one point shorter.
func shorter(s schedule) []schedule {
	var all []schedule
	for i := range s {
		if cut := without(s, i); inOrder(cut) {
			all = append(all, cut)
		}
	}
	for i, m := range s {
		if m.at > 1 {
			cut := slices.Clone(s)
			cut[i].at = m.at - 1
			all = append(all, cut)
		}
	}
	return all
}

// without gives the schedule without its i-th move. Where that was all of an attempt, those after it move up.
func without(s schedule, i int) schedule {
	gone := s[i]
	cut := slices.Delete(slices.Clone(s), i, i+1)
	if gone.ofNobody() || slices.ContainsFunc(cut, func(m move) bool { return !m.ofNobody() && m.attempt == gone.attempt }) {
		return cut
	}
	for j, m := range cut {
		if !m.ofNobody() && m.attempt > gone.attempt {
			cut[j].attempt--
		}
	}
	return cut
}

// inOrder tells whether attempts begin in the order of their letters.
func inOrder(s schedule) bool {
	next := 0
	for _, m := range s {
		if m.ofNobody() {
			continue
		}
		if m.attempt > next {
			return false
		}
		next = max(next, m.attempt+1)
	}
	return next > 0
}
