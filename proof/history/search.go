package history

import "math"

// search looks for one order of a job's operations that keeps the rules. An operation may come before another unless
// it was asked for after the other was answered; one of unknown outcome may come at any time after its request, or not
// at all.
type search struct {
	*world
	ops  []Op
	left int // places that may still be looked at

	done []bool
	seen map[place]bool // nothing comes of these
	most int            // operations in order, at best
	why  *Breach        // what then stood in the way
}

// place is how far an order has come: which operations are in it, and the row after them.
type place struct {
	done string
	job  Job
}

// run gives nil if there is such an order, or the breach at the end of the longest one.
func (s *search) run() *Breach {
	s.done = make([]bool, len(s.ops))
	s.most = -1
	if s.from(Job{}, 0) {
		return nil
	}
	return s.why
}

func (s *search) from(j Job, n int) bool {
	bar := s.bar()
	if bar == math.MaxInt64 {
		return true
	}
	at := place{s.key(), j}
	if s.seen[at] || s.left <= 0 {
		return false
	}
	s.left--
	for i, op := range s.ops {
		if s.done[i] || op.Start > bar {
			continue
		}
		after, wrong := s.step(j, op, bar) // by then one that must still come after it was answered
		if wrong != nil {
			s.blame(op, wrong, n)
			continue
		}
		s.done[i] = true
		for _, next := range after {
			if op.Answer == Unknown && next == j {
				continue // the same as leaving it out
			}
			if s.from(next, n+1) {
				return true
			}
		}
		s.done[i] = false
	}
	s.seen[at] = true
	return false
}

// bar is when the first of the operations that must still come was answered.
func (s *search) bar() int64 {
	bar := int64(math.MaxInt64)
	for i, op := range s.ops {
		if !s.done[i] && op.Answer != Unknown {
			bar = min(bar, op.End)
		}
	}
	return bar
}

// blame keeps the breach that the longest order ends with; of several, the one that was answered first.
func (s *search) blame(op Op, wrong *Breach, n int) {
	if n < s.most || n == s.most && op.End >= s.why.Step.End {
		return
	}
	wrong.Step = op
	s.most, s.why = n, wrong
}

// key packs done. Operations before the first that is missing are left out of no key: histories of a job are short.
func (s *search) key() string {
	b := make([]byte, (len(s.done)+7)/8)
	for i, is := range s.done {
		if is {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return string(b)
}
