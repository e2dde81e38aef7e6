package queuetest

import (
	"fmt"

	"github.com/twicehq/twice/queue"
)

var recordRules = []Rule{
	{"attempts", "each attempt is recorded: its token, worker, start, end, outcome and error", []Need{inspects, fences}, func(s *Scene) {
		id := s.accept(job("a"))
		first := s.take("A")
		s.Clock.Advance(ttl / 3)
		end := failed(first)
		end.Outcome = queue.OutcomePanicked
		s.end(end)
		s.take("B")
		s.lapse()
		third := s.take("C")
		got := s.record(id).Attempts
		if len(got) != 2 {
			s.Fatalf("%d attempts recorded, want 2 that ended: %+v", len(got), got)
		}
		if a := got[0]; a.N != first.Token || a.Worker != "A" || !a.Start.Equal(first.ClaimedAt) || !a.End.Equal(first.ClaimedAt.Add(ttl/3)) || a.Outcome != queue.OutcomePanicked || a.Error != "it failed" {
			s.Errorf("first: %+v", a)
		}
		if a := got[1]; a.N != third.Token-1 || a.Worker != "B" || a.Outcome != queue.OutcomeCrashed {
			s.Errorf("crashed: %+v", a)
		}
	}},
	{"last attempts", "the last 20 attempts are kept, oldest first, and the older ones counted", []Need{inspects, fences}, func(s *Scene) {
		id := s.accept(job("a"))
		var last int64
		for range queue.MaxAttempts + 3 {
			l := s.take("w")
			last = l.Token
			s.end(failed(l))
		}
		r := s.record(id)
		if len(r.Attempts) != queue.MaxAttempts || r.AttemptsDropped != 3 || r.Attempts[queue.MaxAttempts-1].N != last {
			s.Errorf("%d kept, %d dropped, the last is %d; want %d, 3, %d", len(r.Attempts), r.AttemptsDropped, r.Attempts[len(r.Attempts)-1].N, queue.MaxAttempts, last)
		}
	}},
	{"done is little", "of a job that is done, id, fingerprint, state and times are kept; its KeepFor keeps it whole", []Need{inspects}, func(s *Scene) {
		little, all := s.accept(job("a")), s.accept(job("b", whole))
		s.Clock.Advance(ttl)
		for _, l := range s.claim(request("w")) {
			end := done(l)
			end.Result = []byte("result")
			s.end(end)
		}
		if r := s.record(little); r.State != queue.Done || r.Job.ID != little || r.Job.Fingerprint != queue.FingerprintOf([]byte("a")) || !r.EndedAt.Equal(s.Clock.Now()) || r.Whole {
			s.Errorf("little: %+v", r)
		}
		if r := s.record(all); !r.Whole || string(r.Job.Payload) != "b" || string(r.Result) != "result" || len(r.Attempts) != 1 {
			s.Errorf("whole: %+v", r)
		}
	}},
	{"record of a running job", "a record says who holds the job and until when; of a queued one, when it runs next", []Need{inspects}, func(s *Scene) {
		id := s.accept(job("a"))
		l := s.take("w")
		if r := s.record(id); r.State != queue.Running || r.Worker != "w" || !r.LeaseUntil.Equal(l.Until) || !r.ClaimedAt.Equal(l.ClaimedAt) || r.Token != l.Token {
			s.Errorf("%+v", r)
		}
		end := failed(l)
		end.RunAt = s.Clock.Now().Add(ttl)
		s.end(end)
		if r := s.record(id); r.State != queue.Queued || !r.RunAt.Equal(end.RunAt) || r.Counts.Failures != 1 || r.Error != "it failed" {
			s.Errorf("%+v", r)
		}
	}},
	{"record of nothing", "ErrNotFound where an id is not known", []Need{inspects}, func(s *Scene) {
		_, err := ask[queue.Inspector](s).Job(s.ctx, id("never"))
		s.is(err, queue.ErrNotFound, "an unknown id")
	}},
}

var inspectRules = []Rule{
	{"list", "jobs newest first, page by page, each once", []Need{inspects}, func(s *Scene) {
		const n = 25
		for i := range n {
			s.accept(job(fmt.Sprint(i)))
			s.Clock.Advance(queue.Resolution)
		}
		var got []string
		q := queue.Query{Queue: "q", Limit: 10}
		for page := 0; ; page++ {
			p, err := ask[queue.Inspector](s).List(s.ctx, q)
			s.must(err, "list")
			for _, r := range p.Records {
				got = append(got, r.Job.Key)
			}
			if q.Cursor = p.Next; q.Cursor == "" || page > n {
				break
			}
		}
		if len(got) != n || got[0] != fmt.Sprint(n-1) || got[n-1] != "0" {
			s.Errorf("listed %s", got)
		}
	}},
	{"list selects", "a query selects by queue, kind, state and reason", []Need{inspects}, func(s *Scene) {
		s.bury("dead", queue.ReasonFailures)
		s.bury("buried", queue.ReasonBuried)
		s.accept(job("a"), job("b", func(j *queue.Job) { j.Kind = "k2" }), job("c", func(j *queue.Job) { j.Queue = "other" }))
		for want, q := range map[int]queue.Query{
			5: {}, 4: {Queue: "q"}, 1: {Kind: "k2"}, 2: {State: queue.Dead}, 3: {State: queue.Queued},
		} {
			p, err := ask[queue.Inspector](s).List(s.ctx, q)
			if err != nil || len(p.Records) != want {
				s.Errorf("%+v: %d records, want %d, %v", q, len(p.Records), want, err)
			}
		}
		p, err := ask[queue.Inspector](s).List(s.ctx, queue.Query{State: queue.Dead, Reason: queue.ReasonBuried})
		if err != nil || len(p.Records) != 1 || p.Records[0].Job.Key != "buried" {
			s.Errorf("by reason: %v, %v", p.Records, err)
		}
	}},
	{"list is bounded", "a page above MaxPage is ErrInvalid", []Need{inspects}, func(s *Scene) {
		_, err := ask[queue.Inspector](s).List(s.ctx, queue.Query{Limit: queue.MaxPage + 1})
		s.is(err, queue.ErrInvalid, "a limit too large")
	}},
	{"depths", "the five states are counted exactly, and their sum with the pruned is what was accepted", []Need{inspects, operates}, func(s *Scene) {
		s.bury("dead", queue.ReasonFailures)
		s.accept(job("done"))
		s.end(done(s.take("w")))
		gone := s.accept(job("cancelled"))
		s.must(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, queue.Cut{ID: gone})), "cancel")
		s.accept(job("running"))
		s.take("w")
		s.accept(job("queued"), job("queued too"))
		s.enqueue(job("queued"), job("done"))
		d := s.depth("q", func(d queue.Depth) bool { return d.Accepted == 6 && d.Queued == 2 })
		if d.Accepted != 6 || d.Queued != 2 || d.Running != 1 || d.Done != 1 || d.Dead != 1 || d.Cancelled != 1 || d.Pruned != 0 {
			s.Errorf("%+v", d)
		}
	}},
	{"depths of the moment", "waiting, ready and expired are how queued and running jobs look now; the oldest due is told", []Need{inspects}, func(s *Scene) {
		since := s.Clock.Now()
		s.accept(job("expires"))
		s.take("w")
		s.Clock.Advance(ttl / 3)
		s.accept(job("ready"), job("ready too", func(j *queue.Job) { j.Priority = 9 }), job("waits", func(j *queue.Job) { j.RunAt = s.Clock.Now().Add(500 * ttl) }))
		d := s.depth("q", func(d queue.Depth) bool { return d.Queued == 3 && d.Running == 1 })
		if d.Waiting.N != 1 || d.Ready.N != 2 || d.Expired.N != 0 || !d.OldestDue.Equal(since.Add(ttl/3)) {
			s.Errorf("%+v", d)
		}
		s.lapse()
		if d = s.depth("q", func(d queue.Depth) bool { return d.Expired.N == 1 }); d.Expired.N != 1 || d.Running != 1 {
			s.Errorf("after the lease: %+v", d)
		}
	}},
	{"inspecting changes nothing", "looking jobs up takes nothing and extends nothing", []Need{inspects}, func(s *Scene) {
		id := s.accept(job("a"))
		for range 3 {
			s.record(id)
			_, err := ask[queue.Inspector](s).List(s.ctx, queue.Query{})
			s.must(err, "list")
		}
		if l := s.take("w"); l.Counts != (queue.Counts{}) {
			s.Errorf("%+v", l.Counts)
		}
	}},
}
