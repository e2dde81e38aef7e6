package sqlite

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// grace gives every lease that ran out while the engine served nobody one more ttl: their holders may live.
func (t *txn) grace(req queue.Claim) error {
	served := t.engine.clock
	if served == 0 || t.now-served < req.TTL.Milliseconds() {
		return nil
	}
	if served == t.engine.spared { // since they were spared nobody has asked for anything: that is no fault of the engine
		return nil
	}
	var spared int64
	for _, l := range t.view.sorted {
		for _, lone := range []string{"0", "1"} {
			n, err := t.s.exec("UPDATE twice_job SET due = ? WHERE lane = ? AND due > ? AND due <= ? AND due IS NOT NULL AND lone = "+lone+" AND state = 2",
				t.now+req.TTL.Milliseconds(), l.id, served, t.now)
			if err != nil {
				return err
			}
			spared += n
		}
	}
	if spared > 0 {
		t.e.cfg.Logger.Warn("the file took no write for a while: leases that ran out meanwhile get one more", "leases", spared, "silence", time.Duration(t.now-served)*time.Millisecond)
		t.engine.spared = t.now
		if _, err := t.s.exec("UPDATE twice_engine SET spared = ?", t.now); err != nil {
			return err
		}
	}
	return t.touch(0)
}
