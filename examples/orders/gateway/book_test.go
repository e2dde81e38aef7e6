package gateway

import (
	"path/filepath"
	"testing"
)

func TestChargeThatCannotBeWrittenIsNotMade(t *testing.T) {
	s, err := New(Config{File: filepath.Join(t.TempDir(), "charges.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.book.file.close(); err != nil { // as a disk that fails
		t.Fatal(err)
	}
	_, _, p := s.charge("k", order{OrderID: "o", AmountCents: 1, Currency: "EUR"})
	if p == nil || p.code != CodeStore {
		t.Fatalf("problem = %+v, want %s", p, CodeStore)
	}
	if _, found := s.book.find("k", s.now()); found || len(s.book.charges) != 0 {
		t.Errorf("the charge was made: %+v", s.book.charges)
	}
}

func TestDialCountsTheNamedOrderFirst(t *testing.T) {
	d := newDial(Aim{Next: 1, Orders: map[string]int{"a": 1, "b": Always}})
	for i, want := range []struct {
		order string
		hit   bool
	}{{"b", true}, {"a", true}, {"b", true}, {"a", true /* by Next */}, {"a", false}, {"c", false}, {"b", true}} {
		if got := d.hit(want.order); got != want.hit {
			t.Errorf("call %d for %s: hit %v, want %v", i, want.order, got, want.hit)
		}
	}
}
