package redis

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// laneKey is what jobs of one lane have in common within their queue.
type laneKey struct {
	kind     string
	priority int
}

func (k laneKey) name() string { return string(rune('a'+k.priority+queue.MaxPriority)) + k.kind }

func laneNamed(name string) laneKey {
	return laneKey{name[1:], int(name[0]) - 'a' - queue.MaxPriority}
}

// line is a queue as this process knows it. It does not change: a newer one replaces it.
type line struct {
	name  string
	epoch string // of its making: another means that the server lost it meanwhile
	gen   string // rises with its lanes
	keys  []string
	lanes map[laneKey]int
	names []laneKey // by number less one
	also  []string  // queues that have jobs of the same kinds: an id may be there
}

// fixed are the keys that every queue has, as script/queue.lua names them.
const fixed = "mnjhdlcbxpktsogi"

// key gives a key of a queue: all have the queue's name as hash tag. Names hold no braces.
func (e *Engine) key(name, what string) string { return e.cfg.Prefix + ":{" + name + "}:" + what }

func (e *Engine) newLine(name string, state []byte, lanes []string) *line {
	number := func(at int) string {
		return digits(int64(math.Float64frombits(binary.BigEndian.Uint64(state[at:]))))
	}
	l := &line{name: name, epoch: number(0), gen: number(8), lanes: map[laneKey]int{}, names: make([]laneKey, len(lanes)/2)}
	for i := 0; i+1 < len(lanes); i += 2 {
		n, k := 0, laneNamed(lanes[i])
		for _, c := range lanes[i+1] {
			n = 10*n + int(c-'0')
		}
		l.lanes[k], l.names[n-1] = n, k
	}
	for i := range len(fixed) {
		l.keys = append(l.keys, e.key(name, fixed[i:i+1]))
	}
	for n := 1; n <= len(l.names); n++ {
		l.keys = append(l.keys, e.key(name, "r"+digits(n)), e.key(name, "s"+digits(n)))
	}
	return l
}

// head begins the arguments of every script on one queue.
func (e *Engine) head(l *line) []string { return append(e.preface(), "0", l.epoch, l.gen, l.name) }

// joint makes the call of a script on several queues: their keys come one after the other.
func (e *Engine) joint(s *script, lines []*line, args ...string) call {
	c := call{script: s, args: append(e.preface(), digits(len(lines)))}
	for _, l := range lines {
		c.args = append(c.args, digits(len(c.keys)), l.epoch, l.gen, l.name)
		if len(lines) == 1 {
			c.keys = l.keys
		} else {
			c.keys = append(c.keys, l.keys...)
		}
	}
	c.args = append(c.args, args...)
	return c
}

// preface begins the arguments of every script.
func (e *Engine) preface() []string {
	host := "0"
	if e.cfg.Now != nil {
		host = digits(e.cfg.Now().UnixMilli())
	}
	return []string{host, e.channel}
}

// lines are the queues that this process has seen.
type lines struct {
	mu    sync.RWMutex
	known map[string]*line
}

func (ls *lines) get(name string) *line {
	ls.mu.RLock()
	defer ls.mu.RUnlock()
	return ls.known[name]
}

func (ls *lines) set(l *line) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.known[l.name] = l
}

func (ls *lines) drop(name string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.known, name)
}

func (ls *lines) names() []string {
	ls.mu.RLock()
	defer ls.mu.RUnlock()
	var names []string
	for name := range ls.known {
		names = append(names, name)
	}
	return names
}

// line gives a queue that has the lanes, making what is missing; nil where it is not there and not to be made.
func (e *Engine) line(ctx context.Context, name string, make bool, need ...laneKey) (*line, error) {
	if l := e.lines.get(name); l != nil && !slices.ContainsFunc(need, func(k laneKey) bool { return l.lanes[k] == 0 }) {
		return l, nil
	}
	return e.reload(ctx, name, make, need...)
}

// reload asks the server for a queue. A new one is registered first, so that whoever looks for all queues finds it,
// and begins at the mark that all have. A kind that is new to the queue is announced before it gets a lane: whoever
// finds the lane can rely on that.
func (e *Engine) reload(ctx context.Context, name string, make bool, need ...laneKey) (*line, error) {
	var mark int64
	var full error // there is no room to make it; it may be there
	if make {
		b := e.client.B()
		results := e.client.DoMulti(ctx, b.Sadd().Key(e.cfg.Prefix+":queues").Member(name).Build(), b.Get().Key(e.cfg.Prefix+":mark").Build())
		for _, r := range results {
			if err := ignoreNil(r.Error()); refusalOf(err) == "OOM" {
				full, make = err, false
			} else if err != nil {
				return nil, err
			}
		}
		mark, _ = results[1].AsInt64()
	}
	l, err := e.load(ctx, name, make, mark, nil)
	if err != nil {
		return nil, err
	}
	if l == nil {
		e.lines.drop(name)
		return nil, full
	}
	if missing := slices.DeleteFunc(slices.Clone(need), func(k laneKey) bool { return l.lanes[k] != 0 }); len(missing) > 0 {
		if err := e.announce(ctx, name, kindsOf(missing)); err != nil {
			return nil, err
		}
		if l, err = e.load(ctx, name, make, mark, missing); err != nil {
			return nil, err
		}
	}
	if l.also, err = e.sharers(ctx, l); err != nil {
		return nil, err
	}
	if old := e.lines.get(name); old != nil && old.epoch != l.epoch {
		e.cfg.Logger.Error("the server lost this queue, and began it anew: jobs accepted before may be gone", "queue", name,
			"durability", e.traits.Durability)
	}
	e.lines.set(l)
	return l, nil
}

// load reads a queue as it is, after making what is missing; nil where it is not there and not to be made.
func (e *Engine) load(ctx context.Context, name string, make bool, mark int64, lanes []laneKey) (*line, error) {
	args := append(e.preface(), digits(rand.Int64N(1<<48)), digits(mark), flag(make), digits(len(lanes)))
	for _, k := range lanes {
		args = append(args, k.name())
	}
	answer, err := e.run(ctx, call{laneScript, []string{e.key(name, "m"), e.key(name, "n")}, args})[0].AsStrSlice()
	if err != nil || len(answer) == 0 {
		return nil, err
	}
	return e.newLine(name, []byte(answer[0]), answer[1:]), nil
}

func kindsOf(lanes []laneKey) []string {
	var kinds []string
	for _, k := range lanes {
		if !slices.Contains(kinds, k.kind) {
			kinds = append(kinds, k.kind)
		}
	}
	return kinds
}

// A kind has one queue; but it may have had another in the past, whose ids are as good.

// announce lets the queues that have had jobs of some kinds know that from now on this one has them, too, in that
// their lanes count as changed.
func (e *Engine) announce(ctx context.Context, name string, kinds []string) error {
	for _, kind := range kinds {
		if err := e.client.Do(ctx, e.client.B().Sadd().Key(e.cfg.Prefix+":kind:"+kind).Member(name).Build()).Error(); err != nil {
			return err
		}
	}
	members, err := e.having(ctx, kinds)
	if err != nil {
		return err
	}
	var told []string
	for _, other := range slices.Concat(members...) {
		if other == name || slices.Contains(told, other) {
			continue
		}
		if err := e.run(ctx, call{renewScript, []string{e.key(other, "m")}, e.preface()})[0].Error(); err != nil {
			return err
		}
		told = append(told, other)
	}
	return nil
}

// having gives the queues that have had jobs of each kind.
func (e *Engine) having(ctx context.Context, kinds []string) ([][]string, error) {
	commands := make([]rueidis.Completed, len(kinds))
	for i, kind := range kinds {
		commands[i] = e.client.B().Smembers().Key(e.cfg.Prefix + ":kind:" + kind).Build()
	}
	members := make([][]string, len(kinds))
	for i, r := range e.client.DoMulti(ctx, commands...) {
		var err error
		if members[i], err = r.AsStrSlice(); err != nil {
			return nil, err
		}
	}
	return members, nil
}

// sharers gives the other queues that have had jobs of the kinds of this one.
func (e *Engine) sharers(ctx context.Context, l *line) (others []string, err error) {
	kinds := kindsOf(l.names)
	if len(kinds) == 0 {
		return nil, nil
	}
	members, err := e.having(ctx, kinds)
	if err != nil {
		return nil, err
	}
	var unsaid []string // a failover may have lost it
	for i, names := range members {
		if !slices.Contains(names, l.name) {
			unsaid = append(unsaid, kinds[i])
		}
		for _, name := range names {
			if name != l.name && !slices.Contains(others, name) {
				others = append(others, name)
			}
		}
	}
	if len(unsaid) > 0 {
		err = e.announce(ctx, l.name, unsaid)
	}
	slices.Sort(others)
	return others, err
}

// all gives every queue's name, in order.
func (e *Engine) all(ctx context.Context) ([]string, error) {
	names, err := e.client.Do(ctx, e.client.B().Smembers().Key(e.cfg.Prefix+":queues").Build()).AsStrSlice()
	slices.Sort(names)
	return names, err
}

// on runs a script on one queue. The client's picture of the queue may be old: then it is fetched again, and the
// arguments are made anew. There is no answer where the queue does not exist and is not to be made.
func (e *Engine) on(ctx context.Context, s *script, name string, make bool, need []laneKey, args func(*line) []string) ([]byte, bool, error) {
	for range staleAtMost {
		l, err := e.line(ctx, name, make, need...)
		if err != nil || l == nil {
			return nil, false, err
		}
		answer, err := e.run(ctx, call{s, l.keys, append(e.head(l), args(l)...)})[0].AsBytes()
		if err != nil {
			return nil, false, err
		}
		if string(answer) != stale {
			return answer, true, nil
		}
		if l, err = e.reload(ctx, name, make, need...); err != nil || l == nil {
			return nil, false, err
		}
	}
	return nil, false, errUnsteady(name)
}

const (
	stale       = "stale"
	staleAtMost = 20
)

func errUnsteady(name string) error {
	return &queue.Error{Op: "use", Subject: "queue " + name, Reason: queue.ErrUnavailable, Detail: "its kinds change faster than they can be read",
		Remedy: "nothing was changed: try again"}
}

// instant reads a time of the server's: 0 is none.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// milli writes one.
func milli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
