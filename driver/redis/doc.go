// Package redis keeps jobs in Redis (6.2 or later), on one server, behind Sentinel or in a cluster.
//
// A queue is a few keys with one hash tag, and one script is one transition of many of its jobs: see
// script/queue.lua, which says what is stored and is the only part that writes. The job's record is the
// truth; the lists and sorted sets beside it change in the same script and can be made again from it
// (Reconcile). A lease is a score there, never a key that expires.
//
// A server on the machine of its producers and workers needs a core: a process with GOMAXPROCS one below the number of
// cores is quicker then (docs/evidence/bench-redis.md).
//
// What a reported success survives is what the server's persistence says: Open reads and prints it.
package redis
