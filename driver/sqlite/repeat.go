package sqlite

import (
	"database/sql/driver"
	"sync"

	"github.com/twicehq/twice/queue"
)

// claims remembers what recent claims were given, so that one that is repeated gets the same again. It is
// memory of this process, since only the caller in this process can have lost the reply: where the process
// ended, nobody repeats.
type claims struct {
	mu      sync.Mutex
	granted map[queue.ClaimID][]candidate
	order   []queue.ClaimID // a ring: the oldest makes room
	next    int
}

const rememberedClaims = 16 << 10

func newClaims() *claims {
	return &claims{granted: map[queue.ClaimID][]candidate{}, order: make([]queue.ClaimID, rememberedClaims)}
}

func (c *claims) repeated(id queue.ClaimID) ([]candidate, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seqs, ok := c.granted[id]
	return seqs, ok
}

func (c *claims) remember(id queue.ClaimID, seqs []candidate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.granted, c.order[c.next])
	c.granted[id], c.order[c.next] = seqs, id
	c.next = (c.next + 1) % len(c.order)
}

// granted notes, once committed, what a claim was given.
func (t *txn) granted(req queue.Claim, leases []queue.Lease) {
	seqs := make([]candidate, len(leases))
	for i, l := range leases {
		seqs[i].seq = refSeq(l.Ref)
	}
	t.after = append(t.after, func() { t.e.claims.remember(req.ID, seqs) })
}

// sameAgain answers a claim that was answered before: with those of its leases that are still held.
func (t *txn) sameAgain(req queue.Claim, seqs []candidate) (leases []queue.Lease, err error) {
	err = t.bySeq("SELECT "+jobColumns+" FROM twice_job", seqs, func(r []driver.Value) error {
		if claimOf(r[13]) != req.ID || queue.State(number(r[3])) != queue.Running {
			return nil
		}
		j, err := t.scan(r)
		if err != nil {
			t.e.cfg.Logger.Error("a leased job cannot be read: its claim is answered again without it", "seq", number(r[0]), "error", err)
			return nil
		}
		leases = append(leases, j.leased(t.view.lanes[j.lane]))
		return nil
	})
	return leases, err
}
