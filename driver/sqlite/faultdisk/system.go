package faultdisk

import (
	"path/filepath"
	"slices"

	"github.com/ncruces/go-sqlite3/vfs"
)

// system is the disk as SQLite sees it.
type system struct {
	vfs.VFS
	d *Disk
}

func (s *system) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	under := s.VFS.(vfs.VFSFilename)
	if name == nil {
		return under.OpenFilename(name, flags)
	}
	base := filepath.Base(name.String())
	s.d.mu.Lock()
	err := s.d.ask(Open, base)
	if s.d.files[base] == nil {
		s.d.files[base] = &content{}
	}
	f := s.d.files[base]
	s.d.mu.Unlock()
	if err != nil {
		return nil, flags, err
	}
	opened, flags, err := under.OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	return &file{opened, s.d, f, base}, flags, nil
}

func (s *system) Delete(name string, syncDir bool) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	base := filepath.Base(name)
	if err := s.d.ask(Delete, base); err != nil {
		return err
	}
	delete(s.d.files, base)
	return s.VFS.Delete(name, false)
}

// file is an open file.
type file struct {
	vfs.File
	d    *Disk
	f    *content
	name string
}

var (
	_ vfs.VFSFilename      = (*system)(nil)
	_ vfs.FileSharedMemory = (*file)(nil)
)

func (o *file) SharedMemory() vfs.SharedMemory {
	return o.File.(vfs.FileSharedMemory).SharedMemory()
}

func (o *file) ReadAt(p []byte, off int64) (int, error) {
	o.d.mu.Lock()
	err := o.d.ask(Read, o.name)
	o.d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return o.File.ReadAt(p, off)
}

func (o *file) WriteAt(p []byte, off int64) (int, error) {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	err := o.d.ask(Write, o.name)
	if t, ok := err.(Torn); ok {
		p, err = p[:len(p)/2], t.Err
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

func (o *file) Truncate(size int64) error {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if err := o.d.ask(Truncate, o.name); err != nil {
		return err
	}
	o.f.pending = append(o.f.pending, change{off: size})
	return o.File.Truncate(size)
}

// Sync makes the file durable on this disk, which the one below need not know. One that fails has lost what it was
// to keep, as Linux does: the next one succeeds without it.
func (o *file) Sync(vfs.SyncFlag) error {
	o.d.mu.Lock()
	defer o.d.mu.Unlock()
	if err := o.d.ask(Sync, o.name); err != nil {
		o.f.pending = nil
		return err
	}
	for _, c := range o.f.pending {
		o.f.durable = c.on(o.f.durable)
	}
	o.f.pending, o.f.there = nil, true
	return nil
}
