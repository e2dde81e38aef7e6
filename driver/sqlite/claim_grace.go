package sqlite

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// silence is a time in which the file took no write: from the last one before it to the first one after it.
type silence struct{ from, to int64 }

func (s silence) length() int64 { return s.to - s.from }

// over reports whether no claim can use it any more: a lease that it spared, of a ttl no longer than it, would have
// run out again.
func (s silence) over(now int64) bool { return now >= s.to+s.length() }

// grace gives every lease that ran out while the engine served nobody one more ttl: their holders may live. What counts
// is the silence that ends now, or the one that another write ended, see touch.
//
// A lease is spared once, until its holder is heard: silence may also mean that nobody asked, and where claims come more
// rarely than a lease lasts a dead holder's would be spared for ever. No row says that it was spared: the engine
// remembers the end that it gave last, and a lease that ends then is not spared again. That is enough, since whatever it
// gave before has run out by the next silence of a ttl, and a lease that ran out before a silence is not looked at. The
// end is a millisecond short of a ttl, so that no lease of that ttl given from then on has it. One of another ttl that
// ends in the same millisecond is taken for a spared one: if it runs out in another silence, one crash too many is
// counted. That costs the job an attempt, and no safety.
func (t *txn) grace(req queue.Claim) error {
	ttl := req.TTL.Milliseconds()
	for _, s := range []silence{t.engine.quiet, {t.engine.clock, t.now}} {
		until := s.to + max(ttl-1, 1)
		if s.from == 0 || s.length() < ttl || until <= t.now {
			continue
		}
		spared, err := t.spare(s, until)
		if err != nil {
			return err
		}
		if spared > 0 {
			t.e.cfg.Logger.Warn("the file took no write for a while: leases that ran out meanwhile get one more", "leases", spared, "silence", time.Duration(s.length())*time.Millisecond)
			t.engine.spared = until
		}
		t.engine.quiet, t.engine.clock = silence{}, t.now
		_, err = t.s.exec("UPDATE twice_engine SET clock = max(clock, ?), quiet_from = 0, quiet_to = 0, spared = ?", t.now, t.engine.spared)
		return err // the other one is shorter than the ttl, or ended longer ago than that
	}
	return nil
}

func (t *txn) spare(s silence, until int64) (spared int64, err error) {
	for _, l := range t.view.sorted {
		for _, lone := range []string{"0", "1"} {
			n, err := t.s.exec("UPDATE twice_job SET due = ? WHERE lane = ? AND due > ? AND due <= ? AND due IS NOT NULL AND lone = "+lone+" AND state = 2 AND due <> ?",
				until, l.id, s.from, s.to, t.engine.spared)
			if err != nil {
				return spared, err
			}
			spared += n
		}
	}
	return spared, nil
}
