// Package campaign attacks real worker processes and then checks the whole world: every job that was
// accepted has ended, every effect was made once, nothing was made that nobody asked for, and the books
// add up.
//
// A campaign is one [Run]: a store that many processes share, a remote that keeps a log of every call it
// got, worker processes under supervision, a producer that repeats itself, an [Attack] that strikes at
// points drawn by a seeded generator, and a checker. The engine is named by its URL and opened by an
// [Opener] of the caller's, so any engine that several processes can share runs the same campaigns.
//
// An engine that has a server of its own is attacked there, too: [KillServer] ends that, and [LoseReplies] cuts the ways
// to it, among requests that are sent for the purpose; then every worker must go on by itself.
//
// The worker processes are the caller's own program again: its main, or TestMain, calls [Main] first.
//
// With a [History] every process records what it asks of the engine and what it is answered, so that a kill takes none of
// it along; afterwards that is held to the protocol's rules and to porcupine.
//
// A [Control] takes a protection away. Its campaign must be found broken, or the checker proves nothing;
// so must a run in which no job was started twice.
package campaign
