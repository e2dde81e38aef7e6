package queuetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

var enqueueRules = []Rule{
	{"enqueue accepts", "one receipt a job, in order; the id is derived from kind and key", nil, func(s *Scene) {
		got := s.enqueue(job("a"), job("b"), job("c"))
		for i, key := range []string{"a", "b", "c"} {
			if got[i].ID != id(key) || got[i].Status != queue.Accepted || got[i].Err != nil {
				s.Errorf("receipt %d: %+v, want %s accepted", i, got[i], id(key))
			}
			s.state(id(key), queue.Queued)
		}
	}},
	{"enqueue of nothing", "no jobs: no receipts and no error", nil, func(s *Scene) {
		if got, err := s.Engine.Enqueue(s.ctx); err != nil || len(got) != 0 {
			s.Errorf("%v, %v", got, err)
		}
	}},
	{"batch is not atomic", "each job of a batch has its own receipt; a bad one hinders no other", nil, func(s *Scene) {
		got := s.enqueue(job("a"), job("b", func(j *queue.Job) { j.Kind = "" }), job("c"))
		if got[0].Status != queue.Accepted || got[1].Status != queue.Refused || got[2].Status != queue.Accepted {
			s.Errorf("got %s, %s, %s", got[0].Status, got[1].Status, got[2].Status)
		}
		if n := len(s.claim(request("w"))); n != 2 {
			s.Errorf("%d jobs stored, want 2", n)
		}
	}},
	{"batch limit", "a batch above Traits.MaxBatch fails with ErrTooLarge as a whole, and nothing is stored", nil, func(s *Scene) {
		jobs := make([]queue.Job, s.Engine.Traits().MaxBatch+1)
		for i := range jobs {
			jobs[i] = job(fmt.Sprint(i))
		}
		_, err := s.Engine.Enqueue(s.ctx, jobs...)
		s.is(err, queue.ErrTooLarge, "a batch above the limit")
		s.none("the batch was refused")
	}},
	{"payload limit", "a payload above Traits.MaxPayload is refused before storage with ErrTooLarge; one as large is not", nil, func(s *Scene) {
		most := s.Engine.Traits().MaxPayload
		got := s.enqueue(job("most", func(j *queue.Job) { j.Payload = make([]byte, most) }),
			job("more", func(j *queue.Job) { j.Payload = make([]byte, most+1) }))
		if got[0].Status != queue.Accepted || got[1].Status != queue.Refused {
			s.Fatalf("got %s and %s", got[0].Status, got[1].Status)
		}
		s.is(got[1].Err, queue.ErrTooLarge, "a payload above the limit")
		for _, want := range []string{fmt.Sprint(most), fmt.Sprint(most + 1)} {
			if !strings.Contains(got[1].Err.Error(), want) {
				s.Errorf("%q does not name %s bytes", got[1].Err, want)
			}
		}
		if l := s.take("w"); len(l.Job.Payload) != most {
			s.Errorf("the payload came back with %d bytes, want %d", len(l.Job.Payload), most)
		}
	}},
	{"every problem at once", "a bad job is refused naming every problem at once", nil, func(s *Scene) {
		got := s.enqueue(queue.Job{Queue: "", Kind: "k", Key: strings.Repeat("k", queue.MaxKey+1), Priority: 99})
		s.is(got[0].Err, queue.ErrInvalid, "empty queue name")
		s.is(got[0].Err, queue.ErrTooLarge, "key too long")
	}},
	{"case 15 names", "names that could move a key or break a URL are a typed error when made; those that are well work", nil, func(s *Scene) {
		for _, name := range []string{"a{b}c", "x:y", "a b", "", "a\x00", strings.Repeat("n", queue.MaxName+1), "ä", ".a"} {
			got := s.enqueue(job("a", func(j *queue.Job) { j.Queue = name }), job("a", func(j *queue.Job) { j.Kind = name }))
			for _, r := range got {
				if r.Status != queue.Refused {
					s.Errorf("name %q: %s", name, r.Status)
				}
				s.is(r.Err, queue.ErrInvalid, fmt.Sprintf("name %q", name))
			}
		}
		name := "A.b-c_9" + strings.Repeat("n", queue.MaxName-7)
		s.accept(job("a", func(j *queue.Job) { j.Queue = name }))
		leases := s.claim(request("w", func(c *queue.Claim) { c.Queues = []string{name} }))
		if len(leases) != 1 || leases[0].Job.Queue != name {
			s.Fatalf("leases of %s: %v", name, leases)
		}
		s.end(done(leases[0]))
	}},
	{"absurd times", "a run-at in the distant past or future is ErrInvalid: somebody mistook the unit", nil, func(s *Scene) {
		got := s.enqueue(job("past", func(j *queue.Job) { j.RunAt = time.Unix(1_700_000, 0) }),
			job("future", func(j *queue.Job) { j.RunAt = s.Clock.Now().Add(queue.MaxAhead + time.Hour) }))
		for _, r := range got {
			s.is(r.Err, queue.ErrInvalid, "an absurd run-at")
		}
	}},
	{"ended context", "a call whose context has ended changes nothing", nil, func(s *Scene) {
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		if _, err := s.Engine.Enqueue(ctx, job("a")); err == nil {
			s.Errorf("no error")
		}
		s.none("its enqueue had failed")
	}},
}

var identityRules = []Rule{
	{"duplicate", "the same id and fingerprint is a duplicate that names the holder; nothing is stored twice", []Need{dedupes}, func(s *Scene) {
		s.accept(job("a"))
		got := s.enqueue(job("a"))[0]
		if got.Status != queue.Duplicate || got.Err != nil || got.Holder != id("a") || got.HolderState != queue.Queued {
			s.Errorf("%+v", got)
		}
		if n := len(s.claim(request("w"))); n != 1 {
			s.Errorf("%d jobs, want 1", n)
		}
	}},
	{"duplicate within a batch", "the second of two like jobs in one batch is a duplicate of the first", []Need{dedupes}, func(s *Scene) {
		got := s.enqueue(job("a"), job("a"))
		if got[0].Status != queue.Accepted || got[1].Status != queue.Duplicate {
			s.Errorf("%s, %s", got[0].Status, got[1].Status)
		}
		s.take("w")
	}},
	{"duplicate keeps the payload", "with one fingerprint, the holder's payload is kept", []Need{dedupes}, func(s *Scene) {
		print := func(text string) queue.Job {
			return job("a", func(j *queue.Job) { j.Payload, j.Fingerprint = []byte(text), 7 })
		}
		s.accept(print("first"))
		if got := s.enqueue(print("second"))[0]; got.Status != queue.Duplicate {
			s.Errorf("%s, want duplicate", got.Status)
		}
		if l := s.take("w"); string(l.Job.Payload) != "first" {
			s.Errorf("payload %q, want the first", l.Job.Payload)
		}
	}},
	{"duplicate of an ended job", "the same id is a duplicate in every state of its holder, for UniqueFor after its end", []Need{dedupes}, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		holder := func(want queue.State) {
			s.Helper()
			if got := s.enqueue(job("a"))[0]; got.Status != queue.Duplicate || got.HolderState != want {
				s.Errorf("%s of a job that is %s, want duplicate, %s", got.Status, got.HolderState, want)
			}
		}
		holder(queue.Running)
		s.end(done(l))
		holder(queue.Done)
		s.Clock.Advance(s.Engine.Traits().UniqueFor - time.Second)
		if p, ok := queue.As[queue.Pruner](s.Engine); ok {
			_, err := p.Prune(s.ctx, 100)
			s.must(err, "prune")
		}
		holder(queue.Done)
		s.none("it is done")
		s.bury("b", queue.ReasonBuried)
		if got := s.enqueue(job("b"))[0]; got.Status != queue.Duplicate || got.HolderState != queue.Dead {
			s.Errorf("%s of a job that is %s, want duplicate, dead", got.Status, got.HolderState)
		}
	}},
	{"conflict", "another fingerprint is a conflict: ErrConflict, the holder named, nothing changed", []Need{dedupes}, func(s *Scene) {
		s.accept(job("a"))
		got := s.enqueue(job("a", func(j *queue.Job) { j.Payload = []byte("other") }))[0]
		if got.Status != queue.Conflict || got.Holder != id("a") || got.HolderState != queue.Queued {
			s.Errorf("%+v", got)
		}
		s.is(got.Err, queue.ErrConflict, "a conflict")
		l := s.take("w")
		if string(l.Job.Payload) != "a" {
			s.Errorf("payload %q", l.Job.Payload)
		}
		s.end(done(l))
		if got := s.enqueue(job("a", func(j *queue.Job) { j.Payload = []byte("other") }))[0]; got.Status != queue.Conflict {
			s.Errorf("%s with a job that is done, want conflict", got.Status)
		}
	}},
	{"another time is a duplicate", "another run-at or priority is a duplicate, and HolderRunAt shows the holder's", []Need{dedupes}, func(s *Scene) {
		at := s.Clock.Now().Add(time.Hour)
		s.accept(job("a", func(j *queue.Job) { j.RunAt = at }))
		got := s.enqueue(job("a", func(j *queue.Job) { j.RunAt, j.Priority = at.Add(-30*time.Minute), 5 }))[0]
		if got.Status != queue.Duplicate || !got.HolderRunAt.Equal(at) {
			s.Errorf("%s, runs at %s, want duplicate, %s", got.Status, got.HolderRunAt, at)
		}
		s.Clock.Advance(45 * time.Minute)
		s.none("the holder's run-at is later")
	}},
	{"guarded until", "a request without origin is guarded as long as effects are kept, and told until when; one with an origin for ever", []Need{dedupes, ledgers}, func(s *Scene) {
		least := s.Clock.Now().Add(s.Engine.Traits().KeepFor)
		got := s.enqueue(job("a"), job("b", func(j *queue.Job) { j.Origin = s.Clock.Now() }), job("a"))
		if got[0].GuardedUntil.Before(least) || got[2].GuardedUntil.Before(least) {
			s.Errorf("guarded until %s and %s, want at least %s", got[0].GuardedUntil, got[2].GuardedUntil, least)
		}
		if !got[1].GuardedUntil.IsZero() {
			s.Errorf("with an origin: guarded until %s, want no end", got[1].GuardedUntil)
		}
	}},
	{"origin ahead", "an origin more than five minutes ahead is refused, of an id that is known, too", nil, func(s *Scene) {
		at := func(d time.Duration) queue.Job {
			return job(d.String(), func(j *queue.Job) { j.Origin = s.Clock.Now().Add(d) })
		}
		got := s.enqueue(at(queue.MaxOriginAhead), at(queue.MaxOriginAhead+time.Second))
		if got[0].Status != queue.Accepted || got[1].Status != queue.Refused {
			s.Errorf("%s, %s, want accepted, refused", got[0].Status, got[1].Status)
		}
		s.is(got[1].Err, queue.ErrRefused, "an origin too far ahead")
		known := job("known")
		s.accept(known)
		known.Origin = s.Clock.Now().Add(queue.MaxOriginAhead + time.Second)
		if r := s.enqueue(known)[0]; r.Status != queue.Refused {
			s.Errorf("%s, want refused: as a duplicate it would have to be as fresh as that", r.Status)
		} else {
			s.is(r.Err, queue.ErrRefused, "an origin too far ahead of a known id")
		}
	}},
}
