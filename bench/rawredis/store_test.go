package rawredis

import (
	"testing"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/internal/redistest/server"
)

func TestTheBareCostsArePaid(t *testing.T) {
	redistest.Need(t)
	for _, l := range Layouts {
		ctx, dir := t.Context(), t.TempDir()
		s, err := Open(ctx, dir, l, server.Always, peer.Filling)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.EnqueueBulk(ctx, []int64{1, 2, 3}); err != nil {
			t.Fatal(err)
		}
		if err := s.EnqueueCold(ctx, []int64{4}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil { // what was filled is there for the next
			t.Fatal(err)
		}
		s, err = Open(ctx, dir, l, server.Always, peer.Measured)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if s.EnqueueBulk(ctx, []int64{2}) == nil {
			t.Errorf("%s: an id was stored twice", l)
		}
		held, err := s.Cycle(ctx, nil, 10)
		if err != nil || len(held) != 3 {
			t.Fatalf("%s: claimed %v, %v", l, held, err)
		}
		if _, err := s.Cycle(ctx, held[:1], 0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Cycle(ctx, held[:1], 0); err == nil {
			t.Errorf("%s: a lease was used twice", l)
		}
		if s.EnqueueBulk(ctx, []int64{1}) == nil {
			t.Errorf("%s: the id of a done job was stored again", l)
		}
		if more, err := s.Cycle(ctx, held[1:], 10); err != nil || len(more) != 0 {
			t.Errorf("%s: claimed %v, %v", l, more, err)
		}
	}
}

func TestCommandsMoveEveryJob(t *testing.T) {
	redistest.Need(t)
	s, err := Open(t.Context(), t.TempDir(), Plain, server.None, peer.Measured)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := s.Commands(1)[0]
	if err := h.EnqueueBulk(t.Context(), []int64{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 1, 0} {
		if n, err := h.Cycle(t.Context(), nil, 2); n != want || err != nil {
			t.Errorf("%d claimed, %d expected, %v", n, want, err)
		}
	}
	if n, err := s.Sum([]string{"LLEN", prefix + "running"}, []string{"LLEN", prefix + "due"}, []string{"HLEN", prefix + "ids"}); n != 3 || err != nil {
		t.Errorf("%d things are left, of which 3 ids should be; %v", n, err)
	}
}
