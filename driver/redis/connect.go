package redis

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/rueidis"
)

// lasting is a client whose callers do not fail by each other's patience. A connection is made by the first call that
// needs it, within that call's time, and when that is over everybody who waited for the connection is told that it
// could not be made: whoever has time left asks again. Nothing was sent.
type lasting struct{ rueidis.Client }

// soon is well below what it takes to find that a server cannot be reached: what fails sooner by time had another's.
const soon = time.Second

func (p lasting) Do(ctx context.Context, command rueidis.Completed) rueidis.RedisResult {
	began := time.Now()
	r := p.Client.Do(ctx, command)
	for anothers(ctx, r.NonRedisError()) && time.Since(began) < soon {
		r = p.Client.Do(ctx, command) // it is the caller's until it has been sent
	}
	return r
}

func (p lasting) DoMulti(ctx context.Context, commands ...rueidis.Completed) []rueidis.RedisResult {
	began := time.Now()
	results := p.Client.DoMulti(ctx, commands...)
	for time.Since(began) < soon {
		var again []rueidis.Completed
		var of []int
		for i, r := range results {
			if anothers(ctx, r.NonRedisError()) {
				again, of = append(again, commands[i]), append(of, i)
			}
		}
		if len(again) == 0 {
			break
		}
		for n, r := range p.Client.DoMulti(ctx, again...) {
			results[of[n]] = r
		}
	}
	return results
}

// anothers reports whether a connection was not made because the time of a call was over, though this one's is not. Where
// the handshake was cut off, the error is the context's own: no call that was sent ends so while its context lives.
func anothers(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial" && (dial.Timeout() || dial.Err.Error() == "operation was canceled")
}
