package jobs

import (
	"cmp"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/queue"
)

// Names of the kinds, and the queues they wait in. There is a queue for each system outside, since that is
// what people pause when it is down.
const (
	ChargeKind    = "orders.charge"
	ReceiptKind   = "orders.receipt"
	ReconcileKind = "orders.reconcile"

	PaymentsQueue = "payments"
	MailQueue     = "mail"
)

// Charge asks for an order to be charged: once, however often it is asked for.
type Charge struct {
	OrderID string `json:"order_id"`
}

// Receipt asks for an order's receipt to be sent.
type Receipt struct {
	OrderID string `json:"order_id"`
}

// Reconcile asks for the books to be compared as of an instant.
type Reconcile struct {
	Due time.Time `json:"due"`
}

// Kinds are the application's kinds of job.
type Kinds struct {
	Charge    *twice.Kind[Charge]
	Receipt   *twice.Kind[Receipt]
	Reconcile *twice.Kind[Reconcile]
}

// Policy is how patient the kinds are. A zero field means the default of its comment.
type Policy struct {
	Timeout          time.Duration // 15 s; of a charge or a receipt
	ReconcileTimeout time.Duration // 2 min
	MaxFailures      int           // 8
	MaxCrashes       int           // 3
	BackoffBase      time.Duration // 1 s
	BackoffLimit     time.Duration // 10 min
}

// Check fails with everything that is wrong with the policy.
func (p Policy) Check() error {
	if min(p.Timeout, p.ReconcileTimeout, p.BackoffBase, p.BackoffLimit) < 0 || min(p.MaxFailures, p.MaxCrashes) < 0 {
		return fmt.Errorf("the policy %+v has a negative field; give positive ones, or 0 for the default", p)
	}
	if p.BackoffLimit > 0 && p.BackoffLimit < p.BackoffBase {
		return fmt.Errorf("the policy's BackoffLimit %s is below its BackoffBase %s; raise it", p.BackoffLimit, p.BackoffBase)
	}
	return nil
}

// Define makes the kinds of a policy that Check has passed; on another one it panics.
func Define(p Policy) *Kinds {
	p.Timeout = cmp.Or(p.Timeout, 15*time.Second)
	p.ReconcileTimeout = cmp.Or(p.ReconcileTimeout, 2*time.Minute)
	p.BackoffLimit = cmp.Or(p.BackoffLimit, max(10*time.Minute, p.BackoffBase))
	return &Kinds{
		Charge: twice.Define(ChargeKind, twice.Policy[Charge]{
			Key: func(c Charge) string { return c.OrderID }, Queue: PaymentsQueue, Timeout: p.Timeout,
			MaxFailures: p.MaxFailures, MaxCrashes: p.MaxCrashes, BackoffBase: p.BackoffBase, BackoffLimit: p.BackoffLimit,
		}),
		Receipt: twice.Define(ReceiptKind, twice.Policy[Receipt]{
			Key: func(r Receipt) string { return r.OrderID }, Queue: MailQueue, Timeout: p.Timeout,
			MaxFailures: p.MaxFailures, MaxCrashes: p.MaxCrashes, BackoffBase: p.BackoffBase, BackoffLimit: p.BackoffLimit,
		}),
		Reconcile: twice.Define(ReconcileKind, twice.Policy[Reconcile]{
			Key:         reconcileKey,
			Fingerprint: func(r Reconcile) uint64 { return queue.FingerprintOf([]byte(reconcileKey(r))) },
			Queue:       PaymentsQueue, Priority: -1, Timeout: p.ReconcileTimeout,
			MaxFailures: p.MaxFailures, MaxCrashes: p.MaxCrashes, BackoffBase: p.BackoffBase, BackoffLimit: p.BackoffLimit,
		}),
	}
}

// reconcileKey is the key that the schedule gives the job of an instant: a person who asks for the same
// instant asks for the same job.
func reconcileKey(r Reconcile) string { return cron.Key(ReconcileKind, r.Due) }
