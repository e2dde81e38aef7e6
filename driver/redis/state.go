package redis

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/redis/rueidis"
)

// state is what a queue's key m holds, as script/queue.lua writes it: 24 numbers.
type state struct {
	clock, floor, mark, stale, orphaned, pending             int64
	accepted, queued, running, done, dead, cancelled, pruned int64
	last, nth                                                int64
}

func readState(raw []byte) *state {
	if len(raw) < 24*8 {
		return nil
	}
	n := func(i int) int64 { return int64(math.Float64frombits(binary.BigEndian.Uint64(raw[8*i:]))) }
	return &state{clock: n(2), floor: n(6), last: n(4), nth: n(5), mark: n(7), stale: n(13), orphaned: n(14),
		pending:  n(15),
		accepted: n(16), queued: n(17), running: n(18), done: n(19), dead: n(20), cancelled: n(21), pruned: n(22)}
}

// stateOf gives a queue's state; nil where there is no such queue.
func (e *Engine) stateOf(ctx context.Context, name string) (*state, error) {
	raw, err := e.client.Do(ctx, e.client.B().Get().Key(e.key(name, "m")).Build()).AsBytes()
	if rueidis.IsRedisNil(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return readState(raw), nil
}
