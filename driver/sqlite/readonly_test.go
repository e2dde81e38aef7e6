//go:build unix

package sqlite

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/twicehq/twice/queue"
)

// Permissions are no hindrance to root, so under it another user tries.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "twice") // a TempDir of the test lies in folders that others may not enter
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o777))
	try := func(path string) (o opening) {
		p := start(t, "open", path, "x", func(cmd *exec.Cmd) {
			cmd.Dir = dir
			if os.Geteuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
		})
		if !p.hear(&o) {
			t.Fatal("the process said nothing")
		}
		return o
	}
	if o := try(filepath.Join(dir, "theirs.db")); o.Enqueue != "ok" {
		t.Fatalf("a folder that may be written to: %+v", o)
	}
	for _, c := range []struct {
		name         string
		file, folder fs.FileMode
	}{{"file", 0o444, 0o777}, {"folder", 0o666, 0o555}, {"both", 0o444, 0o555}} {
		sub := filepath.Join(dir, c.name)
		must(t, os.Mkdir(sub, 0o777))
		path := filepath.Join(sub, "q.db")
		e, err := Open(path, Config{})
		must(t, err)
		accept(t, e, named("a"))
		must(t, e.Close())
		must(t, os.Chmod(path, c.file))
		must(t, os.Chmod(sub, c.folder))
		if o := try(path); o.Open == "ok" && o.Enqueue == "ok" || o.Reason != queue.ErrReadOnly.Error() {
			t.Errorf("read-only %s: %+v", c.name, o)
		}
		must(t, os.Chmod(sub, 0o777))
		must(t, os.Chmod(path, 0o666))
		accept(t, openAt(t, path, Config{}), named("b"))
	}
}
