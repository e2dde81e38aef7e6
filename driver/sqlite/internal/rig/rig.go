// Package rig describes an SQLite that proofs put under an engine instead of its own. It is internal, so that nobody
// outside this folder can make one: an engine in production cannot be opened on it by mistake.
package rig

// Rig is an SQLite behind database/sql. The zero value is the engine's own.
type Rig struct {
	Driver  string          // of database/sql
	Code    func(error) int // SQLite's extended result code of an error of Driver; 0: it has none
	VFS     string          // the file system; "": the driver's own
	Pragmas []string        // of every connection, after the engine's: name(value)
	SealAt  int             // how many ids are kept in memory before they are sealed; 0: as in production
}
