package disk

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Copy makes to a copy of the directory from, and syncs it, so that what is measured next does not
// pay for the copying.
func Copy(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		if e.IsDir() {
			return os.MkdirAll(dst, 0o755)
		}
		return copyFile(dst, path)
	})
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() {
		if e := out.Close(); err == nil {
			err = e
		}
	}()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

// Size is the length of all files below dir together.
func Size(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		i, err := e.Info()
		if err != nil {
			return err
		}
		n += i.Size()
		return nil
	})
	return n, err
}
