package queuetest

import (
	"bytes"
	"maps"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// hostile has what encodings trip over: NUL, invalid UTF-8, quotes, a huge integer, a line separator.
const hostile = "\x00a\xff\xfe'\"\\\r\n 123456789012345678901234567890 \u2028</script>\x00"

var bytesRules = []Rule{
	{"bytes are bytes", "payload and key survive NUL, invalid UTF-8 and quotes", nil, func(s *Scene) {
		s.accept(job(hostile))
		l := s.take("w")
		if l.Job.Key != hostile || string(l.Job.Payload) != hostile || l.Job.ID != id(hostile) {
			s.Errorf("key %q, payload %q, want both %q", l.Job.Key, l.Job.Payload, hostile)
		}
	}},
	{"bytes of texts", "error text, checkpoint and result survive them too; a strange result never blocks completion", []Need{inspects}, func(s *Scene) {
		id := s.accept(job("a", whole))
		again := failed(s.take("w"))
		again.Error, again.Checkpoint = hostile, []byte(hostile)
		s.end(again)
		if r := s.record(id); r.Error != hostile || string(r.Checkpoint) != hostile {
			s.Errorf("error %q, checkpoint %q", r.Error, r.Checkpoint)
		}
		good := done(s.take("w"))
		good.Result = []byte(hostile)
		s.end(good)
		if r := s.record(id); string(r.Result) != hostile {
			s.Errorf("result %q", r.Result)
		}
	}},
	{"empty payload", "a job without a payload is a job", nil, func(s *Scene) {
		s.accept(job("a", func(j *queue.Job) { j.Payload = nil }))
		if l := s.take("w"); len(l.Job.Payload) != 0 {
			s.Errorf("payload %q", l.Job.Payload)
		}
	}},
	{"all of a job", "a lease carries the whole job as it was enqueued, times cut to Resolution", nil, func(s *Scene) {
		now := s.Clock.Now()
		want := job("a", func(j *queue.Job) {
			j.ID, j.Fingerprint = id("a"), 1<<63+5
			j.Origin, j.Deadline = now.Add(-time.Minute+time.Microsecond), now.Add(time.Hour)
			j.Timeout, j.KeepFor, j.Priority = 90*time.Second, time.Hour, -3
			j.Group, j.Unique, j.Parent = "tenant-7", "u\x00", id("parent")
			j.Headers = queue.Headers{queue.HeaderRequest: "r-1", queue.HeaderTrace: "00-ab-cd-01", "x": hostile}
		})
		s.accept(want)
		got := s.take("w").Job
		if !maps.Equal(got.Headers, want.Headers) || !bytes.Equal(got.Payload, want.Payload) {
			s.Errorf("headers %q, payload %q", got.Headers, got.Payload)
		}
		if !got.Origin.Equal(now.Add(-time.Minute)) || !got.Deadline.Equal(want.Deadline) {
			s.Errorf("origin %s, deadline %s", got.Origin, got.Deadline)
		}
		if got.ID != want.ID || got.Queue != want.Queue || got.Kind != want.Kind || got.Key != want.Key || got.Fingerprint != want.Fingerprint {
			s.Errorf("identity of %+v", got)
		}
		if got.Timeout != want.Timeout || got.KeepFor != want.KeepFor || got.Priority != want.Priority || got.Group != want.Group || got.Unique != want.Unique || got.Parent != want.Parent {
			s.Errorf("policy of %+v, want %+v", got, want)
		}
	}},
	{"bytes are its own", "what a caller does to its bytes after a call changes nothing stored", nil, func(s *Scene) {
		j := job("a", func(j *queue.Job) { j.Headers = queue.Headers{"x": "1"} })
		s.accept(j)
		j.Payload[0], j.Headers["x"] = 'X', "2"
		l := s.take("w")
		if string(l.Job.Payload) != "a" || l.Job.Headers["x"] != "1" {
			s.Errorf("payload %q, header %q", l.Job.Payload, l.Job.Headers["x"])
		}
		l.Job.Payload[0] = 'Y'
		s.end(failed(l))
		if l := s.take("w"); string(l.Job.Payload) != "a" {
			s.Errorf("payload %q after a handler changed its copy", l.Job.Payload)
		}
	}},
	{"long error", "an error's text is cut at MaxError, and the cut is said", []Need{inspects}, func(s *Scene) {
		id := s.accept(job("a"))
		text := strings.Repeat("long ", queue.MaxError)
		end := failed(s.take("w"))
		end.Error = text
		s.end(end)
		got := s.record(id).Error
		if len(got) > queue.MaxError || len(got) < queue.MaxError/2 || !strings.HasPrefix(got, text[:queue.MaxError/2]) {
			s.Errorf("kept %d bytes, want at most %d, from the beginning", len(got), queue.MaxError)
		}
		if strings.HasPrefix(text, got) {
			s.Errorf("nothing says that it was cut")
		}
	}},
	{"result too large", "a result above MaxPayload is dropped, the record says so, and the job is done", []Need{inspects}, func(s *Scene) {
		id := s.accept(job("a", whole))
		end := done(s.take("w"))
		end.Result = make([]byte, s.Engine.Traits().MaxPayload+1)
		s.end(end)
		if r := s.record(id); r.State != queue.Done || len(r.Result) != 0 || r.Error == "" {
			s.Errorf("%s, %d bytes of result, error %q", r.State, len(r.Result), r.Error)
		}
	}},
}
