// Package diagnose says what is the matter with a queue: a pure function from samples to a verdict, with its evidence.
// A stuck consumer is never taken for too few of them.
package diagnose
