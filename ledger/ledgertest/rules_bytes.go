package ledgertest

import (
	"bytes"
	"math"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

var bytesRules = []Rule{
	{Name: "bytes/results", Says: "A result comes back byte for byte: NUL, invalid UTF-8, huge numbers, none at all, and large.", Check: func(s *Scene) {
		l := s.lease("j")
		for step, want := range map[string][]byte{
			"nul": {0, 1, 0}, "utf8": {0xff, 0xfe, 'a'}, "number": []byte("12345678901234567890123"), "none": nil, "large": bytes.Repeat([]byte{0, 'x', '\'', '\\'}, 64<<10),
		} {
			t := try(l, step)
			s.intend(t)
			given := bytes.Clone(want)
			s.must("Confirm", s.store.Confirm(s.ctx, t, given))
			for i := range given {
				given[i] = '!' // the caller's buffer is the caller's
			}
			got := s.intend(try(l, step)).Result
			if !bytes.Equal(got, want) {
				s.Errorf("%s came back as %.40q", step, got)
			}
			for i := range got {
				got[i] = '?'
			}
			if kept := s.entry(t.Key()).Result; !bytes.Equal(kept, want) {
				s.Errorf("%s: a caller's write to what it was given changed the ledger", step)
			}
			s.must("Confirm again", s.store.Confirm(s.ctx, t, want))
		}
	}},
	{Name: "bytes/fingerprints", Says: "Fingerprints are all 64 bits.", Check: func(s *Scene) {
		t := s.first()
		for _, f := range []uint64{math.MaxUint64, 1 << 63, math.MaxInt64} {
			t.ID, t.Fingerprint = ledger.NewTryID(), f
			if e := s.intend(t); e.Fingerprint != f || !e.Mine {
				s.Errorf("%x came back as %x", f, e.Fingerprint)
			}
			other := try(t.Lease, "a")
			other.Fingerprint = f ^ 1
			_, err := s.store.Intend(s.ctx, other)
			s.want("Intend with one other bit", err, queue.ErrConflict)
			s.withdraw(t, true)
		}
	}},
}
