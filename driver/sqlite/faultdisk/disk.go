package faultdisk

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // as sqlite3
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/twicehq/twice/driver/sqlite/internal/rig"
)

// Disk is one. Its methods may be called concurrently.
type Disk struct {
	name    string
	pragmas []string

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
	vfs.Register(d.name, &system{VFS: vfs.Find("os"), d: d})
	return d
}

// Close forgets the disk; what was written stays in the files.
func (d *Disk) Close() { vfs.Unregister(d.name) }

// Rig is for sqlite.OpenRigged.
func (d *Disk) Rig() rig.Rig {
	return rig.Rig{Driver: "sqlite3", Code: Code, VFS: d.name, Pragmas: d.pragmas}
}

// Code gives SQLite's extended result code of an error of the driver sqlite3; 0: it has none.
func Code(err error) int {
	var e sqlite3.ExtendedErrorCode
	if errors.As(err, &e) {
		return int(e)
	}
	return 0
}
