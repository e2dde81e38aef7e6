// Package outbox stores jobs in the transaction that changes the application's data, and forwards them to an engine
// elsewhere under the same ids.
//
// The box is an engine in the application's own database: [Into] wraps its transaction, so that a job is stored with
// the data or not at all; a [Relay] then moves what is stored. A crash between any two of its steps forwards a job a
// second time at most, which the engine there knows by its id: nothing is lost, and nothing is done twice. Whatever
// looks at an engine can look at the box.
package outbox
