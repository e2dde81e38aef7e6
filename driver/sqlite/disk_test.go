package sqlite

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/vfs"
)

// disk is a file system that a test can break: it remembers what was written since each file was last
// synced, and asks before each operation whether it is to fail.
type disk struct {
	vfs.VFS
	name    string
	pragmas []string

	mu    sync.Mutex
	files map[string]*diskFile // by the name's last part
	count map[operation]int
	fails func(op operation, n int, file string) error // the n-th of its kind; under mu
}

type operation string

const (
	opWrite    operation = "write"
	opSync     operation = "sync"
	opTruncate operation = "truncate"
	opOpen     operation = "open"
	opRead     operation = "read"
	opDelete   operation = "delete"
)

// diskFile is what would be left of a file if the power failed.
type diskFile struct {
	durable []byte
	there   bool     // its name is durable too
	pending []change // since the last sync, oldest first
}

// change writes data at off; without data it cuts the file there.
type change struct {
	off  int64
	data []byte
}

func (c change) on(b []byte) []byte {
	if c.data == nil {
		if c.off < int64(len(b)) {
			return b[:c.off]
		}
		return append(b, make([]byte, c.off-int64(len(b)))...)
	}
	if end := c.off + int64(len(c.data)); end > int64(len(b)) {
		b = append(b, make([]byte, end-int64(len(b)))...)
	}
	copy(b[c.off:], c.data)
	return b
}

var diskNumber atomic.Int64

// newDisk makes one; image is what is on it already.
func newDisk(image map[string][]byte, pragmas ...string) *disk {
	d := &disk{VFS: vfs.Find("os"), name: fmt.Sprint("disk", diskNumber.Add(1)), pragmas: pragmas, files: map[string]*diskFile{}, count: map[operation]int{}}
	for name, b := range image {
		d.files[name] = &diskFile{durable: slices.Clone(b), there: true}
	}
	vfs.Register(d.name, d)
	return d
}

// technology puts an engine on the disk.
func (d *disk) technology() technology {
	return technology{driver: "sqlite3", code: ncrucesCode, dsn: func(path string, pragmas ...string) string {
		return dsn(path, append(pragmas, d.pragmas...)...) + "&vfs=" + d.name
	}}
}

func ncrucesCode(err error) int {
	var e sqlite3.ExtendedErrorCode
	if errors.As(err, &e) {
		return int(e)
	}
	return 0
}

// ask counts an operation and gives the error with which it is to fail.
func (d *disk) ask(op operation, file string) error {
	d.count[op]++
	if d.fails == nil {
		return nil
	}
	return d.fails(op, d.count[op], file)
}

// breaks sets what fails from now on, counting from 1 again.
func (d *disk) breaks(fails func(op operation, n int, file string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = fails
	clear(d.count)
}

func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return d.VFS.Open(name, flags)
}

func (d *disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	under := d.VFS.(vfs.VFSFilename)
	if name == nil {
		return under.OpenFilename(name, flags)
	}
	base := filepath.Base(name.String())
	d.mu.Lock()
	err := d.ask(opOpen, base)
	if d.files[base] == nil {
		d.files[base] = &diskFile{}
	}
	f := d.files[base]
	d.mu.Unlock()
	if err != nil {
		return nil, flags, err
	}
	file, flags, err := under.OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &opened{file, d, f, base}, flags, nil
}

func (d *disk) Delete(name string, syncDir bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	base := filepath.Base(name)
	if err := d.ask(opDelete, base); err != nil {
		return err
	}
	delete(d.files, base)
	return d.VFS.Delete(name, false)
}

// opened is an open file.
type opened struct {
	vfs.File
	d    *disk
	f    *diskFile
	name string
}

var _ vfs.FileSharedMemory = (*opened)(nil)

func (o *opened) SharedMemory() vfs.SharedMemory {
	return o.File.(vfs.FileSharedMemory).SharedMemory()
}

func (o *opened) ReadAt(p []byte, off int64) (int, error) {
	o.d.mu.Lock()
	err := o.d.ask(opRead, o.name)
	o.d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return o.File.ReadAt(p, off)
}

// torn is an error with which a write fails half-way.
type torn struct{ error }

func (o *opened) WriteAt(p []byte, off int64) (int, error) {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	err := o.d.ask(opWrite, o.name)
	if t, ok := err.(torn); ok {
		p, err = p[:len(p)/2], t.error
	} else if err != nil {
		return 0, err
	}
	o.f.pending = append(o.f.pending, change{off, slices.Clone(p)})
	n, err2 := o.File.WriteAt(p, off)
	if err2 != nil {
		err = err2
	}
	return n, err
}

func (o *opened) Truncate(size int64) error {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if err := o.d.ask(opTruncate, o.name); err != nil {
		return err
	}
	o.f.pending = append(o.f.pending, change{off: size})
	return o.File.Truncate(size)
}

// Sync makes the file durable on this disk, which the one below need not know. One that fails has lost what it was
// to keep, as Linux does: the next one succeeds without it.
func (o *opened) Sync(vfs.SyncFlag) error {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if err := o.d.ask(opSync, o.name); err != nil {
		o.f.pending = nil
		return err
	}
	for _, c := range o.f.pending {
		o.f.durable = c.on(o.f.durable)
	}
	o.f.pending, o.f.there = nil, true
	return nil
}

// cut gives what a power cut at this moment leaves: what was synced, and of the rest nothing, or, with a source of
// chance, any sectors in any order. Called under mu.
func (d *disk) cut(chance *rand.Rand) map[string][]byte {
	const sector = 512
	image := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		f := d.files[name]
		if !f.there && (chance == nil || chance.IntN(2) == 0) {
			continue
		}
		b := slices.Clone(f.durable)
		for _, c := range f.pending {
			switch {
			case chance == nil:
			case c.data == nil:
				if chance.IntN(2) == 0 {
					b = c.on(b)
				}
			default:
				for from := 0; from < len(c.data); {
					n := min(len(c.data)-from, sector-int((c.off+int64(from))%sector))
					if chance.IntN(2) == 0 {
						b = change{c.off + int64(from), c.data[from : from+n]}.on(b)
					}
					from += n
				}
			}
		}
		image[name] = b
	}
	return image
}

// write puts an image into a folder.
func writeImage(dir string, image map[string][]byte) error {
	for name, b := range image {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
