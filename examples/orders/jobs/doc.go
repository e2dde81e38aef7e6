// Package jobs is where the orders application meets the queue: its kinds of job, and the processors that
// translate a job into a call of a service. No business is done here.
package jobs
