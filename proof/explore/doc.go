// Package explore walks through everything that can happen to one job on an engine, within bounds, and compares it
// with the protocol.
//
// [Rows] tries every action on every row that an engine can be brought to, breadth first, and holds each answer and
// each row that comes of it against the rules ([history.Job]). What it finds first is a shortest trace, and is told in
// words. [Count] puts workers that crash and freeze, an operator and an application's data around the same engine, step
// by step as the model in proof/model does, and counts the states: independent explorations of code and of model that
// reach the same number are strong evidence that the code is the model. Written after the model is only where workers
// and operator can be overtaken; what becomes of the job is the engine's doing, and when an attempt ends the worker's
// policy. The model's other half, ledgers of their own (FENCE_B), time and marks, and remotes, is not walked here.
//
// An engine cannot be copied, so a row is reached again by its trace, on a new engine. Rows are told apart by what an
// engine shows: its record, which lease it holds, and which settlement it takes for a repeated one. What it might hide
// beyond that is not explored. Time is cut to three facts: a lease has run out or not, a delayed job is due or not, and
// the engine served meanwhile or stood still.
package explore
