// Package history records what was asked of an engine and what it answered, and judges it afterwards.
//
// A [Recorder] wraps an engine: every call becomes operations with the moments of request and answer, and calls of
// which nobody knows the outcome are kept as that. [Check] replays a history, job by job, against the rules that a
// job lives by ([Job]): it accepts it only if the operations can be put into one order that agrees with those moments
// and in which every step keeps the rules, and otherwise names the job, the step and the rule.
//
// [Linearizable] asks porcupine the same. A [Transaction] records what a transaction of the caller's own asks. Processes
// that may be killed write logs ([NewLog]), stamped by one [Clock], which [ReadFolder] merges.
//
// What it does not see: jobs that were due and that nobody was given (that is progress, not safety), and what was done
// to the engine past the recorder. Where something else uses the engine too, a correct history may be refused.
package history
