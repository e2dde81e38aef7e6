package queuetest

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

var errBack = errors.New("roll back")

var transactRules = []Rule{
	{"transaction", "what is enqueued and settled in a caller's transaction commits with it", []Need{transacts}, func(s *Scene) {
		id := s.accept(job("a"))
		l := s.take("w")
		s.must(ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error {
			if err := tx.Hold(s.ctx, l); err != nil {
				return err
			}
			if r, err := tx.Enqueue(s.ctx, job("b")); err != nil || r[0].Status != queue.Accepted {
				return errors.Join(err, r[0].Err)
			}
			errs, err := tx.Settle(s.ctx, done(l))
			return errors.Join(err, errors.Join(errs...))
		}), "transaction")
		s.state(id, queue.Done)
		if l := s.take("w"); l.Job.Key != "b" {
			s.Errorf("leased %s", l.Job.Key)
		}
		s.must(s.settle(done(l)), "settled again outside")
	}},
	{"rollback", "and rolls back with it", []Need{transacts}, func(s *Scene) {
		id := s.accept(job("a"))
		l := s.take("w")
		err := ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error {
			_, err1 := tx.Enqueue(s.ctx, job("b"))
			errs, err2 := tx.Settle(s.ctx, done(l))
			if err := errors.Join(err1, err2, errors.Join(errs...)); err != nil {
				s.Errorf("in the transaction: %v", err)
			}
			return errBack
		})
		s.is(err, errBack, "transaction")
		s.state(id, queue.Running)
		s.none("its enqueue was rolled back")
		s.must(s.settle(done(l)), "settle")
	}},
	{"settled twice", "a settlement that was applied before is a lost lease in a transaction: its other changes would be made again", []Need{transacts}, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		again := func() (errs []error) {
			s.must(ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error {
				var err error
				if errs, err = tx.Settle(s.ctx, done(l)); err != nil {
					return err
				}
				return nil
			}), "transaction")
			return errs
		}
		s.must(again()[0], "settle")
		s.is(again()[0], queue.ErrLeaseLost, "the same settlement in a second transaction")
		s.must(s.settle(done(l)), "the same settlement by itself")
	}},
	{"hold", "Hold fails the transaction with ErrLeaseLost unless the lease is held", []Need{transacts}, func(s *Scene) {
		s.accept(job("a"))
		a := s.take("A")
		s.lapse()
		b := s.take("B")
		s.is(ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error { return tx.Hold(s.ctx, a) }), queue.ErrLeaseLost, "a replaced lease")
		s.must(ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error { return tx.Hold(s.ctx, b) }), "the held lease")
	}},
	{"case 09 rolled-back producer", "T1 inserts an id and rolls back, T2 inserts it meanwhile: one job exists, or T2 had an error", []Need{transacts}, func(s *Scene) {
		second := make(chan error, 1)
		_ = ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error {
			if _, err := tx.Enqueue(s.ctx, job("a")); err != nil {
				s.Errorf("T1: %v", err)
			}
			begun := make(chan struct{})
			go func() {
				close(begun)
				r, err := s.Engine.Enqueue(s.ctx, job("a"))
				if err == nil && r[0].Err != nil {
					err = r[0].Err
				}
				second <- err
			}()
			<-begun
			return errBack
		})
		want := 1
		if err := <-second; err != nil {
			want = 0
		}
		if n := len(s.claim(request("w"))); n != want {
			s.Errorf("%d jobs, want %d", n, want)
		}
	}},
	{"case 18 commit order", "T1 enqueues and stays open, T2 enqueues, commits and is claimed; T1 commits and is claimed next; nobody waits", []Need{sideBySide}, func(s *Scene) {
		s.must(ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error {
			if _, err := tx.Enqueue(s.ctx, job("first")); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(s.ctx, long)
			defer cancel()
			if _, err := s.Engine.Enqueue(ctx, job("second")); err != nil {
				return err
			}
			if l, err := s.Engine.Claim(ctx, request("w")); err != nil || len(l) != 1 || l[0].Job.Key != "second" {
				s.Errorf("while T1 is open: leased %s, %v", keys(l), err)
			}
			return nil
		}), "T1")
		if l := s.take("w"); l.Job.Key != "first" {
			s.Errorf("leased %s", l.Job.Key)
		}
	}},
	{"exchange", "an exchange settles and claims in one trip: what it queued again at once it may claim", []Need{exchanges}, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		errs, leases, err := ask[queue.Exchanger](s).Exchange(s.ctx, []queue.Settlement{failed(l), done(l)}, request("w"))
		if err != nil || len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], queue.ErrLeaseLost) {
			s.Errorf("%v, %v", errs, err)
		}
		if len(leases) != 1 || leases[0].Token <= l.Token || leases[0].Job.Key != "a" {
			s.Errorf("leases %+v", leases)
		}
	}},
}

var lifeRules = []Rule{
	{"traits", "an engine says what it promises, in numbers that do not change", nil, func(s *Scene) {
		t := s.Engine.Traits()
		if t.Name == "" || t.Durability == "" || t.MaxPayload < queue.DefaultMaxPayload || t.MaxBatch < 1 || t.MaxTTL < time.Minute || t.UniqueFor < 0 || t.KeepFor < 0 {
			s.Errorf("%+v", t)
		}
		s.accept(job("a"))
		if again := s.Engine.Traits(); again != t {
			s.Errorf("they changed to %+v", again)
		}
	}},
	{"clock never goes back", "a clock that is set back changes no order: nothing becomes due earlier or stays due for less", nil, func(s *Scene) {
		s.accept(job("a", func(j *queue.Job) { j.RunAt = s.Clock.Now().Add(time.Hour) }))
		s.Clock.Advance(2 * time.Hour)
		l := s.take("A")
		s.Clock.Advance(-time.Hour)
		s.none("its lease stands")
		s.must(s.extend(l), "extend")
		s.accept(job("b"))
		if b := s.take("B"); b.ClaimedAt.Before(l.ClaimedAt) {
			s.Errorf("claimed at %s after %s", b.ClaimedAt, l.ClaimedAt)
		}
	}},
	{"durable", "an accepted job, its token, pauses, the trail and the mark survive the end of the process", []Need{reopens, inspects, pauses, prunes}, func(s *Scene) {
		id := s.accept(job("a"))
		s.end(failed(s.take("w")))
		before := s.take("w")
		s.must(ask[queue.Pauser](s).Pause(s.ctx, by, "paused"), "pause")
		e, err := ask[Reopening](s).Reopen()
		s.must(err, "reopen")
		defer func() { _ = e.Close() }()
		s.Engine = e
		if r := s.record(id); r.State != queue.Running || r.Token != before.Token || r.Counts.Failures != 1 {
			s.Errorf("%s, token %d, %+v", r.State, r.Token, r.Counts)
		}
		s.must(s.settle(done(before)), "a lease of the process before")
		if d := s.depth("paused", func(d queue.Depth) bool { return d.Paused }); !d.Paused {
			s.Errorf("the pause was lost")
		}
	}},
}
