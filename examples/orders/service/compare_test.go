package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twicehq/twice/examples/orders/gateway"
)

// Every way in which two lists can differ has one name, and lists that agree have no difference.
func TestCompare(t *testing.T) {
	ours := func(id, order string, cents int64, currency string) Charge {
		return Charge{ID: id, OrderID: order, AmountCents: cents, Currency: currency}
	}
	theirs := func(id, order string, cents int64, currency string) gateway.Charge {
		return gateway.Charge{ID: id, OrderID: order, AmountCents: cents, Currency: currency}
	}
	a, b := ours("c1", "o1", 5, "EUR"), ours("c2", "o2", 7, "EUR")
	ta, tb := theirs("c1", "o1", 5, "EUR"), theirs("c2", "o2", 7, "EUR")
	for name, c := range map[string]struct {
		ours   []Charge
		theirs []gateway.Charge
		want   string
	}{
		"nothing on either side":         {},
		"the same, in another order":     {[]Charge{b, a}, []gateway.Charge{ta, tb}, ""},
		"one only there":                 {[]Charge{a}, []gateway.Charge{ta, tb}, "unknown_charge c2 o2"},
		"one only here":                  {[]Charge{a, b}, []gateway.Charge{ta}, "missing_charge c2 o2"},
		"another amount":                 {[]Charge{a}, []gateway.Charge{theirs("c1", "o1", 6, "EUR")}, "amount_mismatch c1 o1"},
		"another currency":               {[]Charge{a}, []gateway.Charge{theirs("c1", "o1", 5, "SEK")}, "amount_mismatch c1 o1"},
		"another order":                  {[]Charge{a}, []gateway.Charge{theirs("c1", "o9", 5, "EUR")}, "amount_mismatch c1 o1"},
		"a second charge, not recorded":  {[]Charge{a}, []gateway.Charge{ta, theirs("c3", "o1", 5, "EUR")}, "double_charge c3 o1"},
		"a second charge, recorded":      {[]Charge{a, ours("c3", "o1", 5, "EUR")}, []gateway.Charge{ta, theirs("c3", "o1", 5, "EUR")}, "double_charge c3 o1"},
		"a second charge of other worth": {[]Charge{a, ours("c3", "o1", 5, "EUR")}, []gateway.Charge{ta, theirs("c3", "o1", 9, "EUR")}, "amount_mismatch c3 o1, double_charge c3 o1"},
		"a third charge":                 {[]Charge{a}, []gateway.Charge{ta, theirs("c3", "o1", 5, "EUR"), theirs("c4", "o1", 5, "EUR")}, "double_charge c3 o1, double_charge c4 o1"},
		"several, by kind and charge":    {[]Charge{b, a}, []gateway.Charge{theirs("c9", "o9", 1, "EUR"), theirs("c8", "o8", 1, "EUR")}, "missing_charge c1 o1, missing_charge c2 o2, unknown_charge c8 o8, unknown_charge c9 o9"},
	} {
		var got []string
		for _, d := range compare(c.ours, c.theirs) {
			got = append(got, fmt.Sprintf("%s %s %s", d.Kind, d.ChargeID, d.OrderID))
			if d.Detail == "" {
				t.Errorf("%s: %+v says nothing to people", name, d)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q; want %q", name, strings.Join(got, ", "), c.want)
		}
	}
}
