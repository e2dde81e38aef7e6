// Command install installs Debian's chromium by the system's package manager where there is no browser, for `make test`.
// It exits with 0 also where it cannot, unless CI is true: the tests then say that they are skipped.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/twicehq/twice/internal/browsertest/chromium"
)

func main() {
	err := install()
	path, version, found := chromium.Find()
	if found == nil {
		fmt.Println(version, "at", path)
		return
	}
	fmt.Fprintln(os.Stderr, "NOTE: the tests of pages in a browser will be SKIPPED:", errors.Join(found, err))
	fmt.Fprintln(os.Stderr, "Install Chromium, or name one by TWICE_CHROMIUM.")
	if os.Getenv("CI") == "true" {
		os.Exit(1)
	}
}

// install does nothing where a browser is found, also one that somebody else installed while this waited.
func install() error {
	if _, _, err := chromium.Find(); err == nil {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return errors.New("it is not installed, since this is not root on a system with apt-get")
	}
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "twice-install-chromium.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if _, _, err := chromium.Find(); err == nil {
		return nil
	}
	packages := []string{"install", "-y", "--no-install-recommends", "chromium"}
	if run(apt, packages...) == nil {
		return nil
	}
	return errors.Join(run(apt, "update"), run(apt, packages...)) // the lists were missing or old
}

func run(apt string, args ...string) error {
	cmd := exec.Command(apt, append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apt-get %s: %w", args[0], err)
	}
	return nil
}
