// Package rig describes what proofs put under an engine's SQLite. It is internal, so that nobody outside this folder can
// make one: an engine in production cannot be opened on it by mistake.
package rig

// Rig is what lies under an SQLite. The zero value is what lies under it in production.
type Rig struct {
	VFS     string   // the file system
	Pragmas []string // of every connection, after the engine's: name(value)
	SealAt  int      // how many ids are kept in memory before they are sealed
}
