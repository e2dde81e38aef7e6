package campaign_test

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

// Case 5, over processes: bytes that are not of their kind end dead and intact after counted failures, though
// their worker is killed; a kind that nobody knows waits, whoever comes and goes.
func TestCase05UndecodableAndUnknownInProcesses(t *testing.T) {
	s := enter(t, campaign.Config{MaxFailures: 4})
	bad := []byte("{\x00\xff no JSON")
	receipts, err := s.Store.Engine.Enqueue(s.ctx,
		queue.Job{Queue: campaign.Queue, Kind: campaign.KindName, Key: "bad", Payload: bad},
		queue.Job{Queue: campaign.Queue, Kind: "campaign.unknown", Key: "unknown", Payload: bad})
	s.must(err)
	undecodable, unknown := receipts[0].ID, receipts[1].ID
	s.must(s.Hire(s.ctx, 1))
	s.until("a counted failure", func() bool { return s.record(undecodable).Counts.Failures > 0 })
	s.must(s.Processes()[0].Kill())
	s.until("it is dead", func() bool { return s.record(undecodable).State == queue.Dead })
	rec := s.record(undecodable)
	if rec.Reason != queue.ReasonUndecodable || rec.Counts.Failures != 4 || !bytes.Equal(rec.Job.Payload, bad) {
		t.Errorf("%s, %+v, payload %q", rec.Reason, rec.Counts, rec.Job.Payload)
	}
	id := s.enqueue(campaign.Args{N: 0})[0]
	s.until("work behind it is done", func() bool { return s.record(id).State == queue.Done })
	if rec := s.want(unknown, queue.Queued, queue.Counts{}); rec.Token != 0 || !bytes.Equal(rec.Job.Payload, bad) {
		t.Errorf("claimed %d times, payload %q", rec.Token, rec.Job.Payload)
	}
}

// Case 6, on a process: SIGTERM with five long jobs, one of them deaf, and a grace shorter than their run.
func TestCase06DeployOfAProcess(t *testing.T) {
	const grace, margin = 500 * time.Millisecond, time.Second // the margin is that of campaign workers
	s := enter(t, campaign.Config{Lease: 30 * time.Second, Grace: grace})
	ids := s.enqueue(campaign.Args{N: 0, Do: campaign.Wait}, campaign.Args{N: 1, Do: campaign.Wait}, campaign.Args{N: 2, Do: campaign.Wait},
		campaign.Args{N: 3, Do: campaign.Wait}, campaign.Args{N: 4, Do: campaign.Deaf})
	s.must(s.Hire(s.ctx, 1))
	s.until("all run", func() bool { return s.Count(campaign.Begun) == 5 })
	began := time.Now()
	p := s.Processes()[0]
	s.must(p.Signal(syscall.SIGTERM))
	select {
	case <-p.Ended():
	case <-time.After(30 * time.Second):
		t.Fatal("the process does not exit")
	}
	if took := time.Since(began); took < grace || took > grace+margin+4*time.Second {
		t.Errorf("it exited after %s, the grace is %s and the margin %s", took, grace, margin)
	}
	// Its successor has them long before a lease of the first would have run out.
	s.until("all run again", func() bool { return s.Count(campaign.Begun) == 10 })
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("ready after %s", took)
	}
	for _, id := range ids {
		rec := s.want(id, queue.Running, queue.Counts{Interruptions: 1})
		if len(rec.Attempts) != 1 || rec.Attempts[0].Outcome != queue.OutcomeInterrupted {
			t.Errorf("attempts %+v", rec.Attempts)
		}
	}
}

// Case 7, over processes: a person elsewhere cancels a running job, whose handler then returns an error.
func TestCase07CancelBeatsRetryInProcesses(t *testing.T) {
	s := enter(t, campaign.Config{Lease: 600 * time.Millisecond})
	id := s.enqueue(campaign.Args{N: 0, Do: campaign.Wait})[0]
	s.must(s.Hire(s.ctx, 1))
	s.until("it runs", func() bool { return s.Starts(id) == 1 })
	errs, err := ledger.Cancel(s.ctx, s.Store.Engine, s.Store.Ledger, queue.Actor{Name: "test", Why: "case 7"}, id)
	s.must(err)
	s.must(errs[0])
	s.until("the handler has returned", func() bool { return s.Count(campaign.Returned) == 1 })
	other := s.enqueue(campaign.Args{N: 10})[0]
	s.until("work behind it is done", func() bool { return s.record(other).State == queue.Done })
	s.want(id, queue.Cancelled, queue.Counts{})
	if n := s.Starts(id); n != 1 {
		t.Errorf("started %d times", n)
	}
}
