package redis

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Where MinReplicas is set, whatever is sent together ends with WAIT on the same connection: it covers all that its
// node has written so far, and so a repeated call too, which itself may write nothing. The client keeps connections
// for commands that block beside those that all share.

// held sends commands to one node and waits for its replicas. What was carried out and is not held by enough of them
// has an unknown outcome: a failover may lose it.
func (e *Engine) held(ctx context.Context, node rueidis.Client, commands ...rueidis.Completed) []rueidis.RedisResult {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.ReplicaTimeout+answerWithin) // the client puts no bound to what may block
	defer cancel()
	wait := node.B().Wait().Numreplicas(int64(e.cfg.MinReplicas)).Timeout(max(1, e.cfg.ReplicaTimeout.Milliseconds())).Build()
	results := node.DoMulti(ctx, append(commands, wait)...)
	last := len(commands)
	n, err := results[last].AsInt64()
	results = results[:last]
	if err == nil && n >= int64(e.cfg.MinReplicas) {
		return results
	}
	for i, r := range results {
		if ignoreNil(r.Error()) == nil {
			results[i] = rueidis.NewErrorResult(&queue.Error{Op: "write", Subject: "redis", Reason: queue.ErrUnknownOutcome, Cause: err,
				Detail: fmt.Sprintf("%d replicas hold it after %s, not %d", n, e.cfg.ReplicaTimeout, e.cfg.MinReplicas),
				Remedy: "repeat the same call: it is safe; are the replicas connected?"})
		}
	}
	return results
}

// sendHeld is send where replicas must hold what is written.
func (e *Engine) sendHeld(ctx context.Context, form func(call) rueidis.Completed, calls []call) []rueidis.RedisResult {
	if !e.server.Cluster {
		commands := make([]rueidis.Completed, len(calls))
		for i, c := range calls {
			commands[i] = form(c)
		}
		return e.held(ctx, e.client, commands...)
	}
	results := make([]rueidis.RedisResult, len(calls))
	var all sync.WaitGroup
	for i, c := range calls {
		all.Go(func() { results[i] = e.heldThere(ctx, form, c) })
	}
	all.Wait()
	return results
}

// heldThere sends a script to the node that has its keys. It follows redirections itself: WAIT says nothing of a
// script that the client sent elsewhere.
func (e *Engine) heldThere(ctx context.Context, form func(call) rueidis.Completed, c call) (r rueidis.RedisResult) {
	ask := false
	for range 10 {
		command := form(c)
		slot := command.Slot()
		nodes := e.client.Nodes()
		var addr string
		if home, ok := e.homes.Load(slot); ok {
			addr = home.(string)
		}
		node := nodes[addr]
		for a := range nodes { // any will say where it is
			if node == nil {
				addr, node = a, nodes[a]
			}
		}
		if ask {
			r = e.held(ctx, node, e.client.B().Asking().Build(), command)[1]
		} else {
			r = e.held(ctx, node, command)[0]
		}
		if e.homes.Delete(slot); r.NonRedisError() != nil {
			return r
		}
		refused, _ := rueidis.IsRedisErr(r.Error())
		if refused == nil {
			e.homes.Store(slot, addr)
			return r
		}
		to, moved := refused.IsMoved()
		if ask = false; !moved {
			if to, ask = refused.IsAsk(); !ask {
				return r
			}
		}
		if e.homes.Store(slot, to); e.client.Nodes()[to] == nil { // this makes the client look anew
			e.client.Do(ctx, e.client.B().Exists().Key(c.keys[0]).Build())
			select {
			case <-ctx.Done():
				return r
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return r
}
