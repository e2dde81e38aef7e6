// Package diskproof fights campaigns F5 and F6 on the SQLite engine, on a disk of package faultdisk: the power is cut, and
// operations on files fail. The tests of the engine and `twice prove` run them.
package diskproof
