package service_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/gateway"
)

// The gateway's list is read to its end, page by page; what is younger than the instant is left out; and a
// list over the limit is an error that no retry can help, and never a part of the list.
func TestCompareBooks_pages_and_limits(t *testing.T) {
	var seconds atomic.Int64
	d := newDesk(t, gateway.Config{PageSize: 2, Now: func() time.Time { return placedAt.Add(time.Duration(seconds.Add(1)) * time.Second) }})
	late := placedAt.Add(time.Hour)
	for i := range 5 {
		_, err := d.billing.Gateway.Charge(t.Context(), fmt.Sprint("key-", i), fmt.Sprint("o-", i), 100, "EUR")
		d.ok(err)
	}
	page, err := d.books.Gateway.List(t.Context(), "")
	d.ok(err)
	third, err := d.books.Gateway.List(t.Context(), page.NextCursor)
	d.ok(err)
	if len(page.Charges) != 2 || len(third.Charges) != 2 {
		t.Fatalf("the gateway's pages have %d and %d charges; want 2 each", len(page.Charges), len(third.Charges))
	}
	until := third.Charges[0].CreatedAt
	for name, c := range map[string]struct {
		until    time.Time
		settling time.Duration
		limit    int
		theirs   int // -1: too many
	}{
		"all of them":                      {late, 0, 1000, 5},
		"as many as the limit":             {late, 0, 5, 5},
		"one more than the limit":          {late, 0, 4, -1},
		"up to the third, which is in":     {until, 0, 1000, 3},
		"up to the third, less its moment": {until.Add(-time.Microsecond), 0, 1000, 2},
		"the third is still settling":      {until, time.Microsecond, 1000, 2},
		"before all":                       {placedAt, 0, 1, 0},
	} {
		d.books.Settling, d.books.Limit = c.settling, c.limit
		report, err := d.books.Compare(t.Context(), c.until)
		var buried *twice.Buried
		if c.theirs < 0 {
			if !errors.As(err, &buried) {
				t.Errorf("%s: %+v, %v", name, report, err)
			}
			continue
		}
		if err != nil || report.Theirs != c.theirs || report.Ours != 0 || len(report.Differences) != c.theirs || !report.Until.Equal(c.until.Add(-c.settling)) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	over, end := context.WithCancel(t.Context())
	end()
	if report, err := d.books.Compare(over, late); !errors.Is(err, gateway.ErrUnavailable) {
		t.Errorf("a gateway that does not answer: %+v, %v", report, err)
	}
}
