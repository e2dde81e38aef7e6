// Package monitor watches a running system for what must never happen, and counts it: counters that must stay 0.
//
// A [Monitor] is told what workers and schedulers do (it observes both), stands before a ledger, and audits an engine
// when it is asked to. It sees its own process: what two processes do to each other is found by the audit, and by the
// engine, whose rules do not rest on any monitor. Every check is such that no order in which events of one process
// arrive can raise it wrongly: a job that two workers have one after the other is told of in either order.
//
// It stands here and not in package metrics or worker because it needs to know workers, schedulers and ledgers at once,
// and none of these should know it. It knows no metrics: its findings go to a function. With package metrics that is
//
//	monitor.New(monitor.Config{Broken: func(f monitor.Finding) { m.InvariantBroken(metrics.Invariant(f.Invariant)) }})
package monitor
