package service

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/ledger"
)

// Books compares our charges with the gateway's. All fields are required.
type Books struct {
	Database Database
	Gateway  Gateway
	// Settling is how long a charge may take from the gateway into our books: younger ones are left to
	// the next comparison.
	Settling time.Duration
	// Limit is how many charges of either side are compared; more is an error, and never cut off.
	Limit int
}

// Reconcile compares the books as of an instant and records the report once, however often it is called
// for one job; the job ends in the same transaction. It must be called below a handler, with the
// handler's context.
func (s *Books) Reconcile(ctx context.Context, due time.Time) error {
	report, err := s.Compare(ctx, due)
	if err != nil {
		return err
	}
	err = s.Database.Finish(ctx, func(ctx context.Context, tx Tx) error {
		_, err := ledger.Within(ctx, tx.Effects(), "report", func(ctx context.Context) (int, error) {
			return len(report.Differences), tx.AddReport(ctx, report)
		})
		return err
	})
	if err == nil && len(report.Differences) > 0 {
		twice.Logger(ctx).WarnContext(ctx, "the books differ", "due", due, "differences", len(report.Differences),
			"remedy", "see the table differences: refund what is double, find the order of what is unknown")
	}
	return err
}

// Compare compares the books as of an instant and changes nothing. It reads the gateway's list first: what
// is charged meanwhile is then in our books rather than missing from them.
func (s *Books) Compare(ctx context.Context, due time.Time) (Report, error) {
	report := Report{Due: due.UTC(), Until: due.Add(-s.Settling).UTC()}
	theirs, err := s.theirs(ctx, report.Until)
	if err != nil {
		return report, err
	}
	ours, err := s.ours(ctx, report.Until)
	if err != nil {
		return report, err
	}
	report.Ours, report.Theirs, report.Differences = len(ours), len(theirs), compare(ours, theirs)
	return report, nil
}

// theirs pages through the gateway's list, oldest first.
func (s *Books) theirs(ctx context.Context, until time.Time) ([]gateway.Charge, error) {
	var all []gateway.Charge
	for cursor := ""; ; {
		page, err := s.Gateway.List(ctx, cursor)
		if err != nil {
			return nil, err
		}
		for _, c := range page.Charges {
			if !c.CreatedAt.After(until) {
				all = append(all, c)
			}
		}
		if len(all) > s.Limit {
			return nil, s.tooMany("at the gateway")
		}
		if len(page.Charges) == 0 || page.Charges[len(page.Charges)-1].CreatedAt.After(until) {
			return all, nil
		}
		cursor = page.NextCursor
	}
}

const chargesPage = 1000

func (s *Books) ours(ctx context.Context, until time.Time) ([]Charge, error) {
	var all []Charge
	for after := ""; ; {
		page, err := s.Database.Charges(ctx, until, after, chargesPage)
		if err != nil {
			return nil, err
		}
		if all = append(all, page...); len(all) > s.Limit {
			return nil, s.tooMany("in our books")
		}
		if len(page) == 0 {
			return all, nil
		}
		after = page[len(page)-1].ID
	}
}

// tooMany buries the job: a repeat finds no fewer.
func (s *Books) tooMany(where string) error {
	return twice.Bury(fmt.Errorf("reconcile: more than %d charges %s, which is the limit (raise it, or archive old charges)", s.Limit, where))
}
