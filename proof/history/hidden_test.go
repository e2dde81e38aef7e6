package history

import (
	"math"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// A request of unknown outcome may be carried out late, but no later than what was answered after it: so it cannot stand
// for the time at which a lease runs out.
func TestNothingHiddenComesTooLate(t *testing.T) {
	id, claim := queue.NewID("k", "1"), queue.NewClaimID()
	at := func(s float64) int64 { return int64(s * float64(time.Second)) }
	lease := leaseText(claim.Lease(id, 1))
	ops := []Op{
		{N: 1, Call: Enqueue, Answer: OK, Status: queue.Accepted, Job: id, Start: at(1), End: at(1.1)},
		{N: 2, Call: Claim, Answer: OK, Job: id, Claim: claimText(claim), Lease: lease, Token: 1, ClaimedAt: at(2), Until: at(62), TTL: time.Minute, Start: at(2), End: at(2.1)},
		{N: 3, Call: Claim, Answer: Unknown, Start: at(3), End: at(3)},
		{N: 4, Call: Enqueue, Answer: Unknown, Job: id, Start: at(4), End: at(4)},
		{N: 5, Call: Settle, Answer: LeaseLost, Job: id, Lease: lease, Token: 1, State: queue.Done, Outcome: queue.OutcomeDone, Start: at(5), End: at(5.1)},
	}
	if report := Check(ops, Config{}); len(report.Breaches) != 1 || report.Breaches[0].Rule != Held {
		t.Errorf("its lease had a minute to run: %v", report.Breaches)
	}
	ops[4].Start, ops[4].End = at(65), at(65.1)
	if report := Check(ops, Config{}); len(report.Breaches) > 0 {
		t.Errorf("it may have run out, and the claim that nobody heard of may have it: %v", report.Breaches)
	}
	if answeredAt(ops[3]) != math.MaxInt64 {
		t.Error("an unknown outcome has an end")
	}
}

// A claim that nobody heard of has its lease for as long as it asked for, too: the next one cannot come at once.
func TestUnheardLeaseRunsItsTime(t *testing.T) {
	id, first, second := queue.NewID("k", "1"), queue.NewClaimID(), queue.NewClaimID()
	at := func(s float64) int64 { return int64(s * float64(time.Second)) }
	told := func(c queue.ClaimID, token int64, crashes int, s float64) Op {
		return Op{Call: Claim, Answer: OK, Job: id, Claim: claimText(c), Lease: leaseText(c.Lease(id, token)), Token: token, ClaimedAt: at(s), Until: at(s + 10), TTL: 10 * time.Second,
			Counts: queue.Counts{Crashes: crashes}, Start: at(s), End: at(s + 0.1)}
	}
	ops := func(s float64) []Op {
		return []Op{
			{Call: Enqueue, Answer: OK, Status: queue.Accepted, Job: id, Start: at(1), End: at(1.1)},
			told(first, 1, 0, 2),
			{Call: Claim, Answer: Unknown, TTL: 10 * time.Second, Start: at(3), End: at(3)},
			told(second, 3, 2, s),
		}
	}
	if report := Check(ops(23), Config{}); len(report.Breaches) > 0 {
		t.Error(report.Breaches)
	}
	if report := Check(ops(21), Config{}); len(report.Breaches) != 1 {
		t.Errorf("the claim between had until 22: %v", report.Breaches)
	}
}
