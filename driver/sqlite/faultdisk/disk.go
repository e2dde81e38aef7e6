package faultdisk

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/twicehq/twice/driver/sqlite/internal/rig"
)

// Disk is one. Its methods may be called concurrently.
type Disk struct {
	name    string
	pragmas []string
	system  *system

	mu    sync.Mutex
	files map[string]*content // by the name's last part
	count map[Operation]int
	fails func(Moment) error
}

var number atomic.Int64

// New makes a disk; image is what is on it already, and has to be in the folder that is used, too. The pragmas, such as
// wal_autocheckpoint(8), are of every connection. Close it.
func New(image Image, pragmas ...string) *Disk {
	d := &Disk{name: fmt.Sprint("faultdisk", number.Add(1)), pragmas: pragmas, files: map[string]*content{}, count: map[Operation]int{}}
	for name, b := range image {
		d.files[name] = &content{durable: slices.Clone(b), there: true}
	}
	d.register()
	return d
}

// Close forgets the disk, whose engines have to be closed; what was written stays in the files.
func (d *Disk) Close() { d.system.unregister() }

// Rig is for sqlite.OpenRigged.
func (d *Disk) Rig() rig.Rig { return rig.Rig{VFS: d.name, Pragmas: d.pragmas} }
