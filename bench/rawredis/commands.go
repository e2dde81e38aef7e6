package rawredis

import (
	"context"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/bench/suite"
	"github.com/twicehq/twice/internal/loadtest"
)

// Commands are loops of single commands in pipelines, as redis-benchmark sends them: two to store a job, three to claim
// and end it. Nothing holds them together, so they show what the server does and keep no promise.
func (s *Store) Commands(hands int) []suite.Hand {
	all := make([]suite.Hand, hands)
	for i := range all {
		all[i] = &commands{Store: s}
	}
	return all
}

type commands struct {
	*Store
	held []string // ids of what runs
}

func (c *commands) EnqueueBulk(ctx context.Context, ids []int64) error {
	b := c.client.B()
	all := make(rueidis.Commands, 0, 2*len(ids))
	for _, n := range ids {
		id := sum(n)
		all = append(all, b.Hsetnx().Key(prefix+"ids").Field(string(id[:16])).Value(string(id[16:24])).Build(),
			b.Rpush().Key(prefix+"due").Element(string(id[:16])+string(record(n, id[16:24]))).Build())
	}
	_, err := c.do(ctx, all)
	return err
}

func (c *commands) Cycle(ctx context.Context, ids []int64, n int) (int, error) {
	if err := c.EnqueueBulk(ctx, ids); err != nil {
		return 0, err
	}
	b := c.client.B()
	all := make(rueidis.Commands, 0, n+2*len(c.held))
	for _, id := range c.held {
		all = append(all, b.Lpop().Key(prefix+"running").Build(),
			b.Hset().Key(prefix+"ids").FieldValue().FieldValue(id, "2").Build())
	}
	for range n {
		all = append(all, b.Lmove().Source(prefix+"due").Destination(prefix+"running").Left().Right().Build())
	}
	answers, err := c.do(ctx, all)
	if err != nil {
		return 0, err
	}
	claimed := answers[2*len(c.held):]
	c.held = c.held[:0]
	for _, record := range claimed {
		if record != "" { // nothing is left
			c.held = append(c.held, record[:16])
		}
	}
	return len(c.held), nil
}

// do sends commands and gives their answers, "" for nil and for numbers.
func (c *commands) do(ctx context.Context, all rueidis.Commands) ([]string, error) {
	answers := make([]string, len(all))
	for i, r := range c.client.DoMulti(ctx, all...) {
		if err := r.Error(); err != nil && !rueidis.IsRedisNil(err) {
			return nil, err
		}
		answers[i], _ = r.ToString()
	}
	return answers, nil
}

// record is what a job stores beside its id: fingerprint, counters, reason and payload.
func record(n int64, fingerprint []byte) []byte {
	b := make([]byte, 0, 128)
	b = append(b, fingerprint...)
	b = append(b, 0, 0, 0, 0, 0)
	return append(b, loadtest.Payload(n)...)
}
