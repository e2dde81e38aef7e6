// Package ledger makes the effects of a job once, however often the job runs.
//
// An effect in the application's own database is recorded in the same transaction ([Within]). An effect
// outside, a charge or a mail, is recorded as an intent, asked for with a key that is the same on every
// attempt, and recorded with its result ([Once]). Where nobody can tell whether it happened, the job
// is parked for a person and never guessed.
//
// For people: [Cancel] bars a job's effects before it ends it, [Resolve] answers a doubt. For upkeep:
// [Reap] forgets what can no longer come back, [Horizon] says how long that is.
//
// A [Store] is what drivers implement; package ledgertest holds them to it, rule by rule.
package ledger
