package redis

import (
	"slices"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// A claim of this process that sleeps, and waits for one queue alone, goes with what this process enqueues there: both
// scripts are one round trip, where the server's word, a wake-up and the claim would be two more. Other processes are
// told by the server.

// What a waiter is doing.
const (
	awake int32 = iota
	asleep
	served // its claim is under way, and the answer comes
)

// sleeper takes a claim that sleeps and waits for this queue alone, and for jobs like these; nil: there is none.
func (w *wake) sleeper(name string, like []laneKey) *waiter {
	w.mu.Lock()
	defer w.mu.Unlock()
	for me := range w.waiters {
		wanted := func(k laneKey) bool { return slices.Contains(me.req.Kinds, k.kind) }
		if len(me.req.Queues) == 1 && me.req.Queues[0] == name && !me.req.Lone && slices.ContainsFunc(like, wanted) && me.doing.CompareAndSwap(asleep, served) {
			return me
		}
	}
	return nil
}

// claiming is the sleeper's claim.
func (e *Engine) claiming(to *waiter, l *line) call {
	return call{claimScript, l.keys, append(e.head(l), e.claimArgs(to.req, l, to.req.Max, 0)...)}
}

// handOver gives the sleeper its answer. Where there is none, or it cannot be told, it looks for itself, with the same
// claim id.
func (e *Engine) handOver(to *waiter, l *line, result rueidis.RedisResult) {
	var leases []queue.Lease
	if message, err := result.ToMessage(); err == nil && message.IsArray() {
		parts, _ := message.ToArray()
		leases, _, _ = e.leases(to.req, answered{line: l, parts: parts})
	}
	if len(leases) > 0 {
		to.got <- leases
	} else if to.doing.CompareAndSwap(served, asleep) {
		to.ring()
	}
}
