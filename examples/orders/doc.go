// Package orders is the reference application: an API that takes orders, was there before the queue, and
// was extended by it. This package is its wiring; [App] has the parts that a process may run.
//
//	service/    business logic, shared by API and workers: knows no HTTP server and no engine
//	store/      the application's own tables, in the file in which its jobs and effects live
//	api/        routes: translate HTTP into calls of a service
//	jobs/       kinds and processors: translate a job into a call of a service
//	gateway/    outside: a payment gateway, a separate HTTP server that can misbehave
//	mailsink/   outside: a mail server, likewise, and the sender the application uses
//	demo/       scenes that are played with all of it, and what they show: `twice demo`
//
// An order's way: POST /orders stores it and enqueues orders.charge in one transaction. The worker charges
// it at the gateway, once by the ledger; then one transaction marks it charged, records the effect,
// enqueues orders.receipt and ends the job. The receipt goes the same way over SMTP. On its schedule,
// orders.reconcile compares the gateway's list with our charges and records what differs.
//
// Two parts are for demonstrations and tests only, and off by default: [Fault] makes the jobs of chosen
// orders misbehave, and Config.WithoutLedger is the control, an application that has no record of its
// effects.
package orders
