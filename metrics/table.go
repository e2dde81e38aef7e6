package metrics

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/twicehq/twice/queue"
)

// Other is the name under which everything is counted whose own name is one too many, or no name at all.
const Other = "other"

// pair is what series are kept by. A kind has one queue, so there are hardly more pairs than kinds.
type pair struct{ queue, kind string }

// table holds a series for each pair, up to a limit; what comes after it shares one. Reading takes no lock and
// allocates nothing, so that it may be done at every event; adding copies the table, which the limit bounds.
type table[S any] struct {
	limit  int
	make   func(pair) *S
	capped *atomic.Int64

	mu    sync.Mutex
	all   atomic.Pointer[map[pair]*S]
	other atomic.Pointer[S]
}

func newTable[S any](limit int, capped *atomic.Int64, make func(pair) *S) *table[S] {
	t := &table[S]{limit: limit, make: make, capped: capped}
	t.all.Store(&map[pair]*S{})
	return t
}

// of gives the series of a pair.
func (t *table[S]) of(queueName, kind string) *S {
	key := pair{queueName, kind}
	if s, ok := (*t.all.Load())[key]; ok {
		return s
	}
	return t.add(key)
}

func (t *table[S]) add(key pair) *S {
	if full := len(*t.all.Load()) >= t.limit; full || !named(key) {
		t.capped.Add(1)
		if s := t.other.Load(); s != nil {
			return s
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.other.Load() == nil {
			t.other.Store(t.make(pair{Other, Other}))
		}
		return t.other.Load()
	}
	t.mu.Lock()
	old := *t.all.Load()
	if s, ok := old[key]; ok {
		t.mu.Unlock()
		return s
	}
	if len(old) >= t.limit {
		t.mu.Unlock()
		return t.add(key)
	}
	defer t.mu.Unlock()
	key = pair{strings.Clone(key.queue), strings.Clone(key.kind)} // not a part of some larger text
	next := maps.Clone(old)
	s := t.make(key)
	next[key] = s
	t.all.Store(&next)
	return s
}

// named: what is no name could break the exposition, or be of any length.
func named(key pair) bool {
	return queue.CheckName("queue", key.queue) == nil && queue.CheckName("kind", key.kind) == nil
}

// each calls f for every series.
func (t *table[S]) each(f func(pair, *S)) {
	for key, s := range *t.all.Load() {
		f(key, s)
	}
	if s := t.other.Load(); s != nil {
		f(pair{Other, Other}, s)
	}
}
