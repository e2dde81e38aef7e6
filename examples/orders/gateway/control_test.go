package gateway_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
)

// Each row: what the gateway is told, the answers of five calls with keys of
// their own (a letter each: C charged, U unknown, D declined), and how many
// charges stand in its list after them.
func TestMisbehaviourIsExact(t *testing.T) {
	order := map[string]int{"o-2": 1}
	for name, row := range map[string]struct {
		told    gateway.Control
		answers string
		charges int
	}{
		"behave":              {gateway.Control{}, "CCCCC", 5},
		"fail before, next 2": {gateway.Control{FailBefore: gateway.Aim{Next: 2}}, "UUCCC", 3},
		"fail before, drop":   {gateway.Control{FailBefore: gateway.Aim{Next: 2, Drop: true}}, "UUCCC", 3},
		"fail after, next 2":  {gateway.Control{FailAfter: gateway.Aim{Next: 2}}, "UUCCC", 5},
		"fail after, drop":    {gateway.Control{FailAfter: gateway.Aim{Next: 2, Drop: true}}, "UUCCC", 5},
		"by order":            {gateway.Control{FailAfter: gateway.Aim{Orders: order, Drop: true}}, "CCUCC", 5},
		"decline by order":    {gateway.Control{Decline: gateway.Aim{Orders: order}}, "CCDCC", 4},
		"rate a half":         {gateway.Control{FailBefore: gateway.Aim{Rate: 0.5}}, "CUCUC", 3},
		"rate one":            {gateway.Control{FailBefore: gateway.Aim{Rate: 1}}, "UUUUU", 0},
		"always":              {gateway.Control{Decline: gateway.Aim{Next: gateway.Always}}, "DDDDD", 0},
		"order, then next":    {gateway.Control{Decline: gateway.Aim{Orders: order, Next: 1}}, "DCDCC", 3},
		"before goes first":   {gateway.Control{FailBefore: gateway.Aim{Next: 1}, Decline: gateway.Aim{Next: 1}}, "UDCCC", 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, c, _ := start(t, gateway.Config{})
			control(t, c, row.told)
			var answers string
			for i := range 5 {
				_, err := c.Charge(t.Context(), fmt.Sprintf("k-%d", i), fmt.Sprintf("o-%d", i), 100, "EUR")
				switch {
				case err == nil:
					answers += "C"
				case errors.Is(err, gateway.ErrDeclined):
					answers += "D"
				case errors.Is(err, gateway.ErrUnavailable):
					answers += "U"
				default:
					t.Fatal(err)
				}
			}
			if n := len(list(t, c)); answers != row.answers || n != row.charges {
				t.Errorf("answers %s and %d charges, want %s and %d", answers, n, row.answers, row.charges)
			}
		})
	}
}

func TestRateHasNoDrift(t *testing.T) {
	s, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{FailAfter: gateway.Aim{Rate: 0.1}})
	for i := range 100 {
		_, _ = c.Charge(t.Context(), fmt.Sprint(i), "o", 1, "EUR")
	}
	if n := s.State().Counts.FailedAfter; n != 10 {
		t.Errorf("%d of 100 failed, want 10", n)
	}
}

func TestUnknownIsSettledByFindOrRepeat(t *testing.T) {
	for _, drop := range []bool{false, true} {
		_, c, _ := start(t, gateway.Config{})
		// A first call, so that the dropped one comes on a kept connection, which
		// net/http would repeat by itself.
		charge(t, c, "k0", "o-0", 1)
		control(t, c, gateway.Control{FailAfter: gateway.Aim{Next: 1, Drop: drop}})
		_, err := c.Charge(t.Context(), "k1", "o-1", 1, "EUR")
		if !errors.Is(err, gateway.ErrUnavailable) || errors.Is(err, gateway.ErrDeclined) {
			t.Fatalf("drop %v: err = %v, want ErrUnavailable", drop, err)
		}
		contains(t, err.Error(), "charge order o-1", "unknown", "find the key")
		found, ok, err := c.Find(t.Context(), "k1")
		if err != nil || !ok {
			t.Fatalf("drop %v: Find = %v, %v; want the charge", drop, ok, err)
		}
		if again := charge(t, c, "k1", "o-1", 1); again != found {
			t.Errorf("drop %v: repeat gave %+v, want %+v", drop, again, found)
		}
	}
}

func TestFindCanFail(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	charge(t, c, "k1", "o-1", 1)
	control(t, c, gateway.Control{FailFind: gateway.Aim{Next: 1}})
	if _, found, err := c.Find(t.Context(), "k1"); found || !errors.Is(err, gateway.ErrUnavailable) {
		t.Fatalf("Find = %v, %v; want ErrUnavailable", found, err)
	}
	if _, found, err := c.Find(t.Context(), "k1"); !found || err != nil {
		t.Errorf("Find = %v, %v; want found", found, err)
	}
}

func TestDeclineIsNotRemembered(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{Decline: gateway.Aim{Orders: map[string]int{"o-1": gateway.Always}}})
	if _, err := c.Charge(t.Context(), "k1", "o-1", 1, "EUR"); !errors.Is(err, gateway.ErrDeclined) {
		t.Fatalf("err = %v, want ErrDeclined", err)
	}
	if _, found, err := c.Find(t.Context(), "k1"); found || err != nil {
		t.Fatalf("Find = %v, %v; want not found", found, err)
	}
	control(t, c, gateway.Control{})
	charge(t, c, "k1", "o-1", 1)
	control(t, c, gateway.Control{Decline: gateway.Aim{Next: gateway.Always}})
	charge(t, c, "k1", "o-1", 1) // what was charged is not declined later
}

func TestIgnoringKeysChargesAgain(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{IgnoreKeys: true})
	first, second := charge(t, c, "k1", "o-1", 1), charge(t, c, "k1", "o-1", 1)
	if first.ID == second.ID || len(list(t, c)) != 2 {
		t.Errorf("charges %s and %s, want two", first.ID, second.ID)
	}
	if found, ok, err := c.Find(t.Context(), "k1"); err != nil || !ok || found != first {
		t.Errorf("Find = %+v, %v, %v; want the first", found, ok, err)
	}
	control(t, c, gateway.Control{})
	if again := charge(t, c, "k1", "o-1", 1); again != first {
		t.Errorf("honoured again: %+v, want %+v", again, first)
	}
}

func TestLatency(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{LatencyMS: 30})
	began := time.Now()
	charge(t, c, "k1", "o-1", 1)
	if took := time.Since(began); took < 30*time.Millisecond {
		t.Errorf("took %v, want at least 30ms", took)
	}
}

func TestControlReplacesAndShowsWhatIsLeft(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	control(t, c, gateway.Control{IgnoreKeys: true, LatencyMS: 1})
	control(t, c, gateway.Control{FailBefore: gateway.Aim{Next: 3, Orders: map[string]int{"o-1": 1}}})
	_, _ = c.Charge(t.Context(), "k1", "o-1", 1, "EUR")
	_, _ = c.Charge(t.Context(), "k2", "o-2", 1, "EUR")
	st, err := c.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := st.Control
	if left.IgnoreKeys || left.LatencyMS != 0 || left.FailBefore.Next != 2 || len(left.FailBefore.Orders) != 0 {
		t.Errorf("left = %+v, want only fail_before.next 2", left)
	}
}

func TestControlNamesEverythingWrong(t *testing.T) {
	_, c, _ := start(t, gateway.Config{})
	err := c.Control(t.Context(), gateway.Control{
		LatencyMS:  -1,
		FailBefore: gateway.Aim{Next: -2},
		FailAfter:  gateway.Aim{Rate: 1.5},
		Decline:    gateway.Aim{Drop: true},
		HoldAfter:  gateway.Aim{Orders: map[string]int{"o-1": -9}},
	})
	if !errors.Is(err, gateway.ErrInvalid) {
		t.Fatalf("err = %v, want ErrInvalid", err)
	}
	contains(t, err.Error(), "latency_ms", "fail_before.next", "fail_after.rate", "decline.drop", `hold_after.orders["o-1"]`)
}
