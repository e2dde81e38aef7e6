// Command install installs, by the system's package manager, what tests need and do not find, for `make test`. It exits
// with 0 also where it cannot, unless CI is true: the tests then say that they are skipped.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/twicehq/twice/internal/browsertest/chromium"
	"github.com/twicehq/twice/internal/redistest/server"
)

// need is a program that tests start.
type need struct {
	name    string // and that of Debian's package
	find    func() (path, version string, err error)
	without string // what is not tested where there is none
	remedy  string
}

var needs = []need{
	{"redis-server", server.Find, "the tests on Redis", "install redis-server, version " + server.Least + " or later, or name it by TWICE_REDIS_SERVER"},
	{"chromium", chromium.Find, "the tests of pages in a browser", "install Chromium, or name one by TWICE_CHROMIUM"},
	{"spin", spin, "the question to the protocol's model", "install spin"},
}

func spin() (path, version string, err error) {
	if path, err = exec.LookPath("spin"); err != nil {
		return "", "", err
	}
	out, err := exec.Command(path, "-V").Output()
	return path, string(out[:max(0, len(out)-1)]), err
}

func main() {
	missing := false
	for _, n := range needs {
		err := n.install()
		path, version, found := n.find()
		if found == nil {
			fmt.Println(n.name, version, "at", path)
			continue
		}
		missing = true
		fmt.Fprintln(os.Stderr, "NOTE:", n.without, "will be SKIPPED:", errors.Join(found, err))
		fmt.Fprintln(os.Stderr, "To have them:", n.remedy+".")
	}
	if missing && os.Getenv("CI") == "true" {
		os.Exit(1)
	}
}

// install does nothing where the program is found, also one that somebody else installed while this waited.
func (n need) install() error {
	if _, _, err := n.find(); err == nil {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return errors.New("it is not installed, since this is not root on a system with apt-get")
	}
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "twice-install.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if _, _, err := n.find(); err == nil {
		return nil
	}
	packages := []string{"install", "-y", "--no-install-recommends", n.name}
	if run(apt, packages...) == nil {
		return nil
	}
	return errors.Join(run(apt, "update"), run(apt, packages...)) // the lists were missing or old
}

// run runs apt-get. RUNLEVEL=1 keeps a package from starting its service, which nothing here talks to anyway.
func run(apt string, args ...string) error {
	cmd := exec.Command(apt, append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apt-get %s: %w", args[0], err)
	}
	return nil
}
