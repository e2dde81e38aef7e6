package redis

import (
	"errors"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// A claim that waits when the connection goes silent finds work soon after it can.
func TestAWaitingClaimOutlivesASilentConnection(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	proxy := redistest.Proxy(t, server.Addr())
	idle, direct := engine(t, proxy.URL(), Config{}), engine(t, server.URL(), Config{})
	claimed := make(chan time.Time)
	calls := make(chan time.Duration, 100)
	go func() {
		defer close(claimed)
		for req := claimOf(1); ; {
			began := time.Now()
			leases, err := idle.Claim(t.Context(), req)
			calls <- time.Since(began)
			if len(leases) > 0 {
				claimed <- time.Now()
			}
			if len(leases) > 0 || t.Context().Err() != nil {
				return
			}
			if err != nil && !errors.Is(err, queue.ErrUnknownOutcome) && !errors.Is(err, queue.ErrUnavailable) {
				t.Error(err)
				return
			}
		}
	}()
	await(t, "it waits", func() bool { return server.Must("PUBSUB", "NUMSUB", idle.channel) == idle.channel+"\n1" })
	proxy.Blackhole()
	took := <-calls
	time.Sleep(*silentFor)
	if _, err := direct.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "1"}); err != nil {
		t.Fatal(err)
	}
	healed := time.Now()
	proxy.Heal()
	after := (<-claimed).Sub(healed)
	t.Logf("the waiting call ended after %s, and found the job %s after the connection was well", took.Round(time.Millisecond), after.Round(time.Millisecond))
	if took > 15*time.Second || after > 10*time.Second {
		t.Error("that is too long")
	}
}
