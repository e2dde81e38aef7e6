// Package memory is an engine in this process's memory, and the specification of all others: one mutex,
// plain maps, and each transition written as its line in the protocol's table of actions.
//
// Nothing outlives the process. It runs under testing/synctest: it waits on timers and channels only,
// and keeps no goroutine of its own. All methods may be called concurrently.
package memory
