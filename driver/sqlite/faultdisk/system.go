package faultdisk

import (
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite/lib"
)

// SQLite sees the disk as a copy of its own file system, of which opening and deleting, and reading, writing, cutting,
// syncing and closing a file are replaced. Locks and shared memory are its own.

type (
	openFunc   = func(tls *libc.TLS, system, name, file uintptr, flags int32, outFlags uintptr) int32
	deleteFunc = func(tls *libc.TLS, system, name uintptr, syncDir int32) int32
	moveFunc   = func(tls *libc.TLS, file, buffer uintptr, n int32, off int64) int32 // reads or writes
	cutFunc    = func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc   = func(tls *libc.TLS, file uintptr, flags int32) int32
	closeFunc  = func(tls *libc.TLS, file uintptr) int32
)

// to makes an address a pointer to what is there, which is none of Go's memory.
func to[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// function makes a function's address callable.
func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&struct{ uintptr }{address})) }

// address is how SQLite refers to a function, which has to be one without a closure.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// system is a disk's file system.
type system struct {
	d       *Disk
	tls     *libc.TLS
	at      uintptr
	name    uintptr
	under   *sqlite3.Tsqlite3_vfs
	methods sync.Map // ours, by the address of those that they stand for
}

// file is an open one.
type file struct {
	d     *Disk
	f     *content
	name  string
	under *sqlite3.Tsqlite3_io_methods
}

// registry orders changes of SQLite's list of file systems, of which a copy is made.
var registry sync.Mutex

// By their addresses.
var (
	systems sync.Map // of *system
	opened  sync.Map // of *file
)

func (d *Disk) register() {
	registry.Lock()
	defer registry.Unlock()
	s := &system{d: d, tls: libc.NewTLS()}
	s.under = to[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(s.tls, 0))
	s.at = allocate(s.tls, *s.under)
	s.name, _ = libc.CString(d.name)
	own := to[sqlite3.Tsqlite3_vfs](s.at)
	own.FpNext, own.FzName = 0, s.name
	own.FxOpen, own.FxDelete = address[openFunc](openFile), address[deleteFunc](deleteFile)
	systems.Store(s.at, s)
	d.system = s
	sqlite3.Xsqlite3_vfs_register(s.tls, s.at, 0)
}

func (s *system) unregister() {
	registry.Lock()
	defer registry.Unlock()
	sqlite3.Xsqlite3_vfs_unregister(s.tls, s.at)
	systems.Delete(s.at)
	s.methods.Range(func(_, at any) bool { libc.Xfree(s.tls, at.(uintptr)); return true })
	libc.Xfree(s.tls, s.at)
	libc.Xfree(s.tls, s.name)
	s.tls.Close()
}

func allocate[T any](tls *libc.TLS, v T) uintptr {
	at := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(v)))
	*to[T](at) = v
	return at
}

// replaced gives the methods of files, with ours in the place of some.
func (s *system) replaced(under uintptr) uintptr {
	if at, ok := s.methods.Load(under); ok {
		return at.(uintptr)
	}
	m := *to[sqlite3.Tsqlite3_io_methods](under)
	m.FxClose, m.FxRead, m.FxWrite = address[closeFunc](closeFile), address[moveFunc](readFile), address[moveFunc](writeFile)
	m.FxTruncate, m.FxSync = address[cutFunc](cutFile), address[syncFunc](syncFile)
	at := allocate(s.tls, m)
	s.methods.Store(under, at)
	return at
}

func openFile(tls *libc.TLS, at, name, pFile uintptr, flags int32, outFlags uintptr) int32 {
	found, _ := systems.Load(at)
	s := found.(*system)
	under := function[openFunc](s.under.FxOpen)
	if name == 0 {
		return under(tls, at, name, pFile, flags, outFlags)
	}
	d, base := s.d, filepath.Base(libc.GoString(name))
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.ask(Open, base)
	if d.files[base] == nil {
		d.files[base] = &content{}
	}
	f := &file{d: d, f: d.files[base], name: base}
	methods := to[sqlite3.Tsqlite3_file](pFile)
	if err != nil {
		methods.FpMethods = 0
		return code(err)
	}
	if rc := under(tls, at, name, pFile, flags, outFlags); rc != sqlite3.SQLITE_OK {
		return rc
	}
	f.under = to[sqlite3.Tsqlite3_io_methods](methods.FpMethods)
	methods.FpMethods = s.replaced(methods.FpMethods)
	opened.Store(pFile, f)
	return sqlite3.SQLITE_OK
}

func deleteFile(tls *libc.TLS, at, name uintptr, _ int32) int32 {
	found, _ := systems.Load(at)
	s := found.(*system)
	base := filepath.Base(libc.GoString(name))
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if err := s.d.ask(Delete, base); err != nil {
		return code(err)
	}
	delete(s.d.files, base)
	return function[deleteFunc](s.under.FxDelete)(tls, at, name, 0)
}

func lookup(pFile uintptr) *file {
	found, _ := opened.Load(pFile)
	return found.(*file)
}

func closeFile(tls *libc.TLS, pFile uintptr) int32 {
	o := lookup(pFile)
	opened.Delete(pFile)
	return function[closeFunc](o.under.FxClose)(tls, pFile)
}

func readFile(tls *libc.TLS, pFile, buffer uintptr, n int32, off int64) int32 {
	o := lookup(pFile)
	o.d.mu.Lock()
	err := o.d.ask(Read, o.name)
	o.d.mu.Unlock()
	if err != nil {
		return code(err)
	}
	return function[moveFunc](o.under.FxRead)(tls, pFile, buffer, n, off)
}

func writeFile(tls *libc.TLS, pFile, buffer uintptr, n int32, off int64) int32 {
	o := lookup(pFile)
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	err := o.d.ask(Write, o.name)
	if torn, ok := err.(Torn); ok {
		n, err = n/2, torn.Err
	} else if err != nil {
		return code(err)
	}
	o.f.pending = append(o.f.pending, change{off, slices.Clone(unsafe.Slice(to[byte](buffer), n))})
	if rc := function[moveFunc](o.under.FxWrite)(tls, pFile, buffer, n, off); rc != sqlite3.SQLITE_OK || err == nil {
		return rc
	}
	return code(err)
}

func cutFile(tls *libc.TLS, pFile uintptr, size int64) int32 {
	o := lookup(pFile)
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if err := o.d.ask(Truncate, o.name); err != nil {
		return code(err)
	}
	o.f.pending = append(o.f.pending, change{off: size})
	return function[cutFunc](o.under.FxTruncate)(tls, pFile, size)
}

// syncFile makes the file durable on this disk, which the one below need not know. One that fails has lost what it was
// to keep, as Linux does: the next one succeeds without it.
func syncFile(_ *libc.TLS, pFile uintptr, _ int32) int32 {
	o := lookup(pFile)
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if err := o.d.ask(Sync, o.name); err != nil {
		o.f.pending = nil
		return code(err)
	}
	for _, c := range o.f.pending {
		o.f.durable = c.on(o.f.durable)
	}
	o.f.pending, o.f.there = nil, true
	return sqlite3.SQLITE_OK
}
