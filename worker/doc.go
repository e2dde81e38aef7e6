// Package worker runs jobs: it claims them from an engine, keeps their leases alive, hands them to
// handlers, and settles what came of it.
//
//	w := worker.New(engine, worker.Config{Concurrency: 10})
//	worker.Handle(w, ChargeOrder, func(ctx context.Context, job twice.Job[Charge]) error {
//		return orders.Charge(ctx, job.Args.OrderID) // nil, an error (retry), twice.Bury or twice.Snooze
//	})
//	err := w.Run(ctx) // until ctx ends, then drains
//
// A handler may run twice for one job: leases are at least once. What it may rely on is that its context
// ends as soon as the worker learns that the lease is lost, and that a settlement by a lost lease changes
// nothing. All policy (retry, backoff, caps) is in [Decide] and [Begin], which are pure.
package worker
