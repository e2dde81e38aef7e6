package rawsql

import (
	"testing"

	"github.com/twicehq/twice/bench/peer"
)

func TestTheBareCostsArePaid(t *testing.T) {
	for _, index := range []Index{Plain, Merged} {
		ctx := t.Context()
		s, err := Open(ctx, t.TempDir(), index, peer.Measured)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.EnqueueBulk(ctx, []int64{1, 2, 3}); err != nil {
			t.Fatal(err)
		}
		if err := s.EnqueueCold(ctx, []int64{4}); err != nil {
			t.Fatal(err)
		}
		if s.EnqueueBulk(ctx, []int64{5, 2}) == nil {
			t.Errorf("%s: an id was stored twice", index)
		}
		held, err := s.Claim(ctx, 10)
		if err != nil || len(held) != 3 {
			t.Fatalf("%s: claimed %v, %v", index, held, err)
		}
		if err := s.Finish(ctx, held[:1]); err != nil {
			t.Fatal(err)
		}
		if s.Finish(ctx, held[:1]) == nil {
			t.Errorf("%s: a lease was used twice", index)
		}
		if s.EnqueueBulk(ctx, []int64{1}) == nil {
			t.Errorf("%s: the id of a done job was stored again", index)
		}
		if err := s.Effect(ctx, held[1]); err != nil {
			t.Fatal(err)
		}
		if more, err := s.Claim(ctx, 10); err != nil || len(more) != 0 {
			t.Errorf("%s: claimed %v, %v", index, more, err)
		}
	}
}
