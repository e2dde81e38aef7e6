package orders_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// TestDoubleRun runs every kind of the application once, for reference; then every job twice; then every job
// twice side by side; and compares the worlds: the gateway's charges, the mails, the rows, the jobs. The
// control is the same double run with the ledger off and a gateway that ignores keys: it must differ.
func TestDoubleRun(t *testing.T) {
	reference := run(t, (*world).once)
	t.Logf("reference: %+v", reference)
	for name, charges := range reference.AtGateway {
		if (charges == 1) == reference.Declined[name] {
			t.Fatalf("the reference charged %s %d times", name, charges)
		}
	}
	for name, how := range map[string]func(*world, queue.Lease){"every job twice": (*world).again, "side by side": (*world).sideBySide} {
		t.Run(name, func(t *testing.T) {
			if seen := run(t, how); !reflect.DeepEqual(seen, reference) {
				t.Errorf("the world is another one\nonce:  %+v\ntwice: %+v", reference, seen)
			}
		})
	}
	t.Run("control: ledger off, keys ignored", func(t *testing.T) {
		seen := run(t, (*world).again, func(cfg *orders.Config) { cfg.WithoutLedger = true })
		for name, once := range reference.AtGateway {
			if twice := seen.AtGateway[name]; once > 0 && twice < 2*once {
				t.Errorf("%s was charged %d times; the control must show double charges", name, twice)
			}
		}
		t.Logf("control: %+v", seen)
		for to, once := range reference.Mails {
			if twice := seen.Mails[to]; twice < 2*once {
				t.Errorf("%s got %d mails; the control must show double mails", to, twice)
			}
		}
		if len(seen.Differences) == 0 {
			t.Error("the control's double charges were not seen by the reconciliation")
		}
	})
}

// seen is what there is to see of a world, by the references of orders. It holds no times and no ids that
// another run would not have.
type seen struct {
	AtGateway   map[string]int // charges
	Mails       map[string]int // by recipient
	MessageIDs  int            // different ones
	Orders      map[string]service.State
	Declined    map[string]bool
	Charges     map[string]int // rows
	Receipts    map[string]int // rows
	Reports     int
	Differences []string
	Jobs        map[string]int // by kind and state
}

// run places orders, one of which is declined, delivers all jobs in the given way, then reconciles, in the
// same way.
func run(t *testing.T, how func(*world, queue.Lease), change ...func(*orders.Config)) seen {
	t.Helper()
	w := newWorld(t, change...)
	w.app.Billing.Database = frozen{w.app.Store}
	w.app.Receipts.Database = frozen{w.app.Store}
	w.app.Books.Database = frozen{w.app.Store}
	w.told(w.gateway.Control(gateway.Control{
		IgnoreKeys: w.app.Config().WithoutLedger,
		Decline:    gateway.Aim{Orders: map[string]int{service.OrderID("declined"): gateway.Always}},
	}))
	references := []string{"ada", "bob", "cyd", "declined", "eve"}
	deliver := func(lease queue.Lease) { how(w, lease) }
	delivered := 0
	for _, reference := range references {
		w.place(reference)
		w.place(reference) // the client repeats itself: the same order
		delivered += w.drain(deliver)
	}
	if delivered != 9 {
		t.Fatalf("%d jobs were delivered; want 5 charges and 4 receipts", delivered)
	}
	due := time.Now().Add(2 * time.Second).Truncate(time.Second) // after all charges
	job, err := w.app.Kinds.ReconcileAt(t.Context(), due)
	w.told(err)
	_, err = w.engine.Enqueue(t.Context(), job)
	w.told(err)
	if n := w.drain(deliver); n != 1 {
		t.Fatalf("%d reconciliations were delivered; want 1", n)
	}
	return w.look(references, due)
}

func (w *world) look(references []string, due time.Time) seen {
	w.Helper()
	s := seen{
		AtGateway: map[string]int{}, Mails: map[string]int{}, Orders: map[string]service.State{}, Declined: map[string]bool{},
		Charges: map[string]int{}, Receipts: map[string]int{}, Jobs: map[string]int{},
	}
	ctx := w.Context()
	pay, err := gateway.NewClient(w.app.Config().Gateway, nil)
	w.told(err)
	names := map[string]string{}
	for _, reference := range references {
		id := service.OrderID(reference)
		names[id] = reference
		o, err := w.app.Orders.Get(ctx, id)
		w.told(err)
		s.Orders[reference] = o.State
		s.AtGateway[reference] = 0
		if o.Failure != "" {
			s.Declined[reference] = true
		}
	}
	for charge, err := range pay.All(ctx) {
		w.told(err)
		s.AtGateway[names[charge.OrderID]]++
	}
	s.Mails, s.MessageIDs = w.mails()
	s.Charges, s.Receipts = w.rows("charges", names), w.rows("receipts", names)
	report, found, err := w.app.Store.Report(ctx, due)
	w.told(err)
	totals, err := w.app.Store.Totals(ctx)
	w.told(err)
	if s.Reports = totals.Reconciliations; !found {
		w.Errorf("there is no report for %s", due)
	}
	for _, d := range report.Differences {
		s.Differences = append(s.Differences, fmt.Sprint(d.Kind, " ", names[d.OrderID]))
	}
	slices.Sort(s.Differences)
	page, err := w.engine.List(ctx, queue.Query{Limit: queue.MaxPage})
	w.told(err)
	for _, r := range page.Records {
		s.Jobs[r.Job.Kind+" "+r.State.String()]++
	}
	return s
}

// mails counts what the sink accepted, by recipient, and the different Message-IDs.
func (w *world) mails() (byRecipient map[string]int, ids int) {
	w.Helper()
	byRecipient = map[string]int{}
	all := map[string]bool{}
	for _, m := range w.accepted() {
		byRecipient[m.To[0]]++
		all[m.MessageID] = true
	}
	return byRecipient, len(all)
}

func (w *world) accepted() []mailsink.Mail {
	w.Helper()
	answer := get(w.T, w.sink, "/mails?limit=1000")
	return answer.Mails
}

// rows counts the rows of a table by order.
func (w *world) rows(table string, names map[string]string) map[string]int {
	w.Helper()
	rows, err := w.engine.DB().QueryContext(w.Context(), "SELECT order_id, count(*) FROM "+table+" GROUP BY order_id")
	w.told(err)
	defer func() { _ = rows.Close() }()
	counts := map[string]int{}
	for rows.Next() {
		var id string
		var n int
		w.told(rows.Scan(&id, &n))
		counts[names[id]] = n
	}
	w.told(rows.Err())
	return counts
}
