package memory

import "container/heap"

// shelf is a heap of rows, the one whose time comes first on top. A row stands on one shelf at most, and
// only rows standing on none change.
type shelf struct{ rows []*row }

// sooner: the one whose time comes first.
func sooner(a, b *row) bool {
	if !a.at.Equal(b.at) {
		return a.at.Before(b.at)
	}
	return a.seq < b.seq
}

// worthier: higher priority first, then the one due longest.
func worthier(a, b *row) bool {
	if a.job.Priority != b.job.Priority {
		return a.job.Priority > b.job.Priority
	}
	return sooner(a, b)
}

func (s *shelf) first() *row {
	if len(s.rows) == 0 {
		return nil
	}
	return s.rows[0]
}

func (s *shelf) add(r *row)    { r.on = s; heap.Push(s, r) }
func (s *shelf) remove(r *row) { heap.Remove(s, r.pos); r.on = nil }

// Len, Less, Swap, Push and Pop are for container/heap.
func (s *shelf) Len() int           { return len(s.rows) }
func (s *shelf) Less(i, j int) bool { return sooner(s.rows[i], s.rows[j]) }
func (s *shelf) Swap(i, j int) {
	s.rows[i], s.rows[j] = s.rows[j], s.rows[i]
	s.rows[i].pos, s.rows[j].pos = i, j
}
func (s *shelf) Push(x any) { r := x.(*row); r.pos = len(s.rows); s.rows = append(s.rows, r) }
func (s *shelf) Pop() any {
	last := len(s.rows) - 1
	r := s.rows[last]
	s.rows[last] = nil
	s.rows = s.rows[:last]
	return r
}
