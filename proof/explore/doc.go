// Package explore walks through everything that can happen to one job on an engine and a ledger, within bounds, and
// compares it with the protocol.
//
// [Rows] tries every action on every row that an engine can be brought to, breadth first, and holds each answer and
// each row that comes of it against the rules ([history.Job]); [Books] does the same with a ledger that is a store of
// its own. What they find first is a shortest trace, and is told in words. [Count] puts workers that crash and freeze, an
// operator, a producer that asks again, a reaper and a clock around an engine and a ledger, step by step as the model in
// proof/model does, and counts the states: independent explorations of code and of model that reach the same number are
// strong evidence that the code is the model. Written after the model is only where all these can be overtaken; what
// becomes of the job and of the record of its effects is the stores' doing, and when an attempt ends the worker's policy.
//
// Ledger and data are in one database with the jobs (FENCE_A): an effect is made while the engine holds its lease, and
// the ledger allows it. Or they are apart (FENCE_B): then what ends a job is sealed and listed first, and the ledger
// alone decides. In one database engine and ledger are walked as two stores all the same, of which an effect asks both.
// That an engine lists by itself what was made, as it does there, is tried apart from the walks. Not walked are effects
// outside (EXT), a job scheduled for later (RUNAT), three workers (NW=3) and an old claim that arrives again (NETDUP;
// [Rows] tries that on every row).
//
// Where the walk is not the model as it stands, the model is narrowed or widened by an expression that stands beside its
// number: workers go by the counters of their lease, and not of the row; in one database the mark bars an effect, too;
// the mark beside the ledger moves after the engine's. A sweep is one step in the walk, and the engine's answer that it
// has forgotten the job is as old as the row's end; what comes between that question and the deletion is tried by
// [Books]. A cancel that was overtaken reads the token anew in the same step.
//
// A store cannot be copied, so a row is reached again by its trace, on a new one. Rows are told apart by what a store
// shows: an engine's record, which lease it holds, and which settlement it takes for a repeated one; a ledger's entries,
// which tokens and instants it bars, and when it would be swept. What they might hide beyond that is not explored. Time
// is cut to three facts: a lease has run out or not, a delayed job is due or not, and the engine served meanwhile or
// stood still. Where marks and horizons matter it goes by instants besides, and no lease ends by them.
package explore
