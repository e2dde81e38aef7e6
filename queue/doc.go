// Package queue is the contract between producers, workers and the engines that keep jobs.
//
// An [Engine] stores jobs and leases them to workers, at least once each. It is mechanism only: when
// to retry, how long to wait and when to give up is decided in package worker. Drivers implement this
// package and import nothing else of the pipeline; package queuetest holds them to it, rule by rule.
//
// Abilities that not every technology has (looking jobs up, pausing, schedules, …) are small
// interfaces, found with [As]. What a driver cannot do it does not implement.
//
// All times are the engine's own clock, with a resolution of [Resolution]; a worker's clock decides nothing.
package queue
