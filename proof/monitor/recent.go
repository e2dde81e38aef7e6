package monitor

// recent keeps the last of many: when it is full, what came first goes.
type recent[K comparable, V any] struct {
	most  int
	all   map[K]*V
	order []K // as a ring, once full
	next  int
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, all: map[K]*V{}}
}

// of gives what is kept of k, zero where it is new.
func (r *recent[K, V]) of(k K) *V {
	if v, ok := r.all[k]; ok {
		return v
	}
	if len(r.order) < r.most {
		r.order = append(r.order, k)
	} else {
		delete(r.all, r.order[r.next])
		r.order[r.next] = k
		r.next = (r.next + 1) % r.most
	}
	v := new(V)
	r.all[k] = v
	return v
}

// last gives up to n keys, the ones that came last first.
func (r *recent[K, V]) last(n int) (keys []K) {
	for i := 1; i <= min(n, len(r.order)); i++ {
		keys = append(keys, r.order[(r.next+len(r.order)-i)%len(r.order)])
	}
	return keys
}
