// Command install installs redis-server by the system's package manager where there is none, for `make test`. It exits
// with 0 also where it cannot, unless CI is true: the tests then say that they are skipped.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/twicehq/twice/internal/redistest/server"
)

func main() {
	err := install()
	path, version, found := server.Find()
	if found == nil {
		fmt.Println("redis-server", version, "at", path)
		return
	}
	fmt.Fprintln(os.Stderr, "NOTE: the tests on Redis will be SKIPPED:", errors.Join(found, err))
	fmt.Fprintln(os.Stderr, "Install redis-server, version", server.Least, "or later, or name it by TWICE_REDIS_SERVER.")
	if os.Getenv("CI") == "true" {
		os.Exit(1)
	}
}

// install does nothing where a server is found, also one that somebody else installed while this waited.
func install() error {
	if _, _, err := server.Find(); err == nil {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return errors.New("it is not installed, since this is not root on a system with apt-get")
	}
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "twice-install-redis.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if _, _, err := server.Find(); err == nil {
		return nil
	}
	packages := []string{"install", "-y", "--no-install-recommends", "redis-server"}
	if run(apt, packages...) == nil {
		return nil
	}
	return errors.Join(run(apt, "update"), run(apt, packages...)) // the lists were missing or old
}

// run runs apt-get. RUNLEVEL=1 keeps the package from starting its service, which nothing here talks to anyway.
func run(apt string, args ...string) error {
	cmd := exec.Command(apt, append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apt-get %s: %w", args[0], err)
	}
	return nil
}
