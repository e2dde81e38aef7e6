package diskproof

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

// whole is a life in which every sort of call is made.
func whole() []step {
	return []step{
		put("a"), put("b", "c", "d", "e"), get(3),
		{"extend", func(ctx context.Context, s *script) error {
			answers, err := s.e.Extend(ctx, time.Minute, s.leases...)
			return errors.Join(append(answers, err)...)
		}},
		{"effect", effect},
		end(done, buried, failed),
		ownTransaction("f", "g"), sharedCommit("h"),
		get(10), end(done, done, done),
		{"prune", func(ctx context.Context, s *script) error {
			s.ahead.Store(int64(25 * time.Hour))
			_, err := s.e.Prune(ctx, 100)
			return err
		}},
		put("i", "j", "k", "l", "m", "n"), put("o"),
		{"ping", func(ctx context.Context, s *script) error { return s.e.Ping(ctx) }},
		{"audit", func(ctx context.Context, s *script) error { _, err := s.e.Audit(ctx); return err }},
		{"look", func(ctx context.Context, s *script) error {
			if _, err := s.e.Job(ctx, idOf("o")); err != nil {
				return err
			}
			_, err := s.e.Depths(ctx)
			return err
		}},
	}
}

// brief is a life for those that are told of its middle.
func brief() []step {
	return []step{put("a"), put("b"), put("c", "d"), get(2), end(done, failed), put("e")}
}

// put enqueues jobs; a duplicate is what a repeated call gets.
func put(keys ...string) step {
	return step{"enqueue", func(ctx context.Context, s *script) error {
		receipts, err := s.e.Enqueue(ctx, all(keys)...)
		return s.accepted(keys, receipts, err)
	}}
}

const own = "own transaction"

// outside are transactions of the application: their errors, and their repetition, are its own.
func (st step) outside() bool { return st.name == own }

func ownTransaction(keys ...string) step {
	return step{own, func(ctx context.Context, s *script) error {
		receipts, err := inOwnTransaction(ctx, s.e, all(keys))
		return s.accepted(keys, receipts, err)
	}}
}

func sharedCommit(keys ...string) step {
	return step{"shared commit", func(ctx context.Context, s *script) error {
		var receipts []queue.Receipt
		err := s.e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) (err error) {
			receipts, err = s.e.In(tx).Enqueue(ctx, all(keys)...)
			return err
		})
		return s.accepted(keys, receipts, err)
	}}
}

func all(keys []string) []queue.Job {
	batch := make([]queue.Job, len(keys))
	for i, k := range keys {
		batch[i] = named(k)
	}
	return batch
}

func (s *script) accepted(keys []string, receipts []queue.Receipt, err error) error {
	if err != nil {
		return err
	}
	for i, k := range keys {
		if st := receipts[i].Status; st != queue.Accepted && st != queue.Duplicate {
			s.broke("enqueue %s: %s, %v", k, st, receipts[i].Err)
		}
		s.told[k] = told{accepted: true}
	}
	return nil
}

// get claims by a request that is the same when it is repeated.
func get(n int) step {
	req := request(n, 0)
	return step{"claim", func(ctx context.Context, s *script) error {
		leases, err := s.e.Claim(ctx, req)
		if err != nil {
			return err
		}
		for _, l := range leases {
			f := s.told[l.Job.Key]
			f.token = max(f.token, l.Token)
			s.told[l.Job.Key] = f
		}
		s.leases = append(s.leases, leases...)
		return nil
	}}
}

// end settles what was leased, one way each.
func end(ways ...func(queue.Lease) queue.Settlement) step {
	return step{"settle", func(ctx context.Context, s *script) error {
		n := min(len(ways), len(s.leases))
		ends := make([]queue.Settlement, n)
		for i := range ends {
			ends[i] = ways[i](s.leases[i])
		}
		answers, err := s.e.Settle(ctx, ends...)
		if err != nil {
			return err
		}
		for i, a := range answers {
			if a != nil {
				s.broke("settle: %v", a)
			} else if ends[i].State.Ended() {
				f := s.told[ends[i].Lease.Job.Key]
				f.ended = ends[i].State
				s.told[ends[i].Lease.Job.Key] = f
			}
		}
		s.leases = s.leases[n:]
		return nil
	}}
}

// effect makes one for the first job that is leased.
func effect(ctx context.Context, s *script) error {
	if len(s.leases) == 0 {
		return nil
	}
	try := s.try
	try.Lease = s.leases[0]
	if _, err := s.e.Ledger().Intend(ctx, try); err != nil {
		return err
	}
	if err := s.e.Ledger().Confirm(ctx, try, []byte("paid")); err != nil {
		return err
	}
	s.effect = true
	return nil
}
