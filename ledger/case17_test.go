package ledger_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

func fences(t *testing.T, check func(t *testing.T, fenceA bool)) {
	for name, fenceA := range map[string]bool{"one database": true, "ledger beside": false} {
		t.Run(name, func(t *testing.T) { check(t, fenceA) })
	}
}

// killAt ends the attempt at its k-th crash point; it notes where that was.
func killAt(k int, where *string) func(string) {
	n := 0
	return func(op string) {
		if n++; n == k {
			*where = op
			panic(errKilled)
		}
	}
}

// mayDoubt: only an effect that cannot be sent again and whose intent may have been left behind is parked.
var mayDoubt = map[string]string{"book": "book", "mail": "mail"}

// Case 17: the handler is killed before and after its k-th call to the store or a remote, for every k,
// and delivered again; and the delivery after is killed, too, for every k. The world is that of a single
// run, or parked in doubt where it must be and then answered.
func TestCase17CrashPointSweep(t *testing.T) {
	fences(t, func(t *testing.T, fenceA bool) {
		points, runs, parked := 0, 0, 0
		for k := 1; ; k++ {
			fired := false
			for l := 0; ; l++ {
				w := newWorld(t, fenceA)
				var at, then string
				first := w.claim()
				err := w.attempt(first, killAt(k, &at))
				if fired = err == errKilled; !fired {
					w.settle(first, err)
				}
				nested := false
				if l > 0 && fired {
					second := w.claim()
					err := w.attempt(second, killAt(l, &then))
					if nested = err == errKilled; !nested {
						w.settle(second, err)
					}
				}
				doubts := w.finish()
				when := fmt.Sprintf("killed at %d (%s), then at %d (%s), in doubt %q", k, at, l, then, doubts)
				w.once(when)
				runs++
				for _, d := range doubts {
					if parked++; mayDoubt[d] == "" {
						t.Errorf("%s: %s needs no person", when, d)
					}
				}
				if l > 0 && !nested || !fired {
					break
				}
			}
			if !fired {
				break
			}
			points = k
		}
		t.Logf("%d crash points, %d runs, %d parked in doubt", points, runs, parked)
		if points < 20 || parked == 0 {
			t.Errorf("%d crash points and %d doubts: the sweep saw too little", points, parked)
		}
	})
}

// The same, with the first attempt frozen at its k-th point instead of killed: another delivery runs to
// its end, and then the first thaws and goes on.
func TestCase17FrozenAtEveryPoint(t *testing.T) {
	fences(t, func(t *testing.T, fenceA bool) {
		for k := 1; ; k++ {
			w := newWorld(t, fenceA)
			lease, n, frozen := w.claim(), 0, false
			err := w.attempt(lease, func(string) {
				if n++; n == k {
					frozen = true
					w.tick()
					other := w.claim()
					w.settle(other, w.attempt(other, nowhere))
				}
			})
			w.settle(lease, err)
			w.finish()
			w.once(fmt.Sprintf("frozen at %d", k))
			if !frozen {
				return
			}
		}
	})
}

// The same, with two deliveries side by side, however they fall.
func TestCase17SideBySide(t *testing.T) {
	fences(t, func(t *testing.T, fenceA bool) {
		for range 100 {
			w := newWorld(t, fenceA)
			first := w.claim()
			w.tick()
			var wg sync.WaitGroup
			for _, lease := range []queue.Lease{first, w.claim()} {
				wg.Go(func() { w.settle(lease, w.attempt(lease, nowhere)) })
			}
			wg.Wait()
			doubts := w.finish()
			w.once(fmt.Sprintf("side by side, in doubt %q", doubts))
			if slices.Contains(doubts, "charge") {
				t.Error("a remote that honours keys needs no person")
			}
		}
	})
}

// The control: with a ledger that forgets, the same sweep must find the effects made twice, and at which points.
func TestCase17Control(t *testing.T) {
	var twice []int
	for k := 1; ; k++ {
		w := newWorld(t, false)
		where := ""
		forgetful := func(lease queue.Lease, hook func(string)) error {
			w.ledger = memory.NewLedger(memory.LedgerConfig{Now: w.clock.Now})
			return w.attempt(lease, hook)
		}
		if err := forgetful(w.claim(), killAt(k, &where)); err != errKilled {
			break
		}
		if err := forgetful(w.claim(), nowhere); err != nil {
			t.Fatal(err)
		}
		_, books := w.books.counts()
		_, mails := w.mail.counts()
		if books > 1 || mails > 1 || w.rows > 1 {
			twice = append(twice, k)
		}
	}
	t.Logf("made twice when killed at %v", twice)
	if len(twice) == 0 {
		t.Error("without a ledger nothing was made twice: the sweep proves nothing")
	}
}
