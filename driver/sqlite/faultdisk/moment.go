package faultdisk

import (
	"maps"
	"math/rand/v2"
)

// Operation is a sort of operation on a file.
type Operation string

// Operations.
const (
	Write    Operation = "write"
	Sync     Operation = "sync"
	Truncate Operation = "truncate"
	Open     Operation = "open"
	Read     Operation = "read"
	Delete   Operation = "delete"
)

// Changes reports an operation after which a power cut may leave something else than before it.
func (op Operation) Changes() bool { return op != Read && op != Open }

// Moment is just before an operation.
type Moment struct {
	Op   Operation
	N    int    // it is the n-th of its sort, from 1
	File string // its name's last part
	disk *Disk
}

// Cut is [Disk.Cut] at this moment.
func (m Moment) Cut(chance *rand.Rand) Image { return m.disk.cut(chance) }

// Break sets what fails from now on, counting from 1 again; nil: nothing. Before each operation fails is asked for the
// error it is to fail with: a [Failure], or a [Torn] one. The disk stands still meanwhile, so fails must not call its
// methods.
func (d *Disk) Break(fails func(Moment) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = fails
	clear(d.count)
}

// Counts gives how many operations of each sort there were since the last Break.
func (d *Disk) Counts() map[Operation]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.count)
}

// ask counts an operation and gives the error with which it is to fail. Called under mu.
func (d *Disk) ask(op Operation, file string) error {
	d.count[op]++
	if d.fails == nil {
		return nil
	}
	return d.fails(Moment{op, d.count[op], file, d})
}
