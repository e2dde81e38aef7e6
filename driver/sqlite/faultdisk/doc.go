// Package faultdisk is a disk that breaks: it knows what of each file was synced, so it can tell what a power cut at any
// moment would leave, and it fails the operations that it is told to fail. It is a file system of SQLite (a VFS) above the
// system's own. It is for campaigns and tests: what is kept on it is kept in memory, too.
//
//	d := faultdisk.New(nil)
//	defer d.Close()
//	e, err := sqlite.OpenRigged(path, sqlite.Config{}, d.Rig())
//	…
//	err = d.Cut(nil).Write(dir) // what the next process would find
package faultdisk
