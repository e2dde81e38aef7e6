// Package chromium finds a browser for tests.
package chromium

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ErrAbsent means that there is no browser to start.
var ErrAbsent = errors.New("no Chromium")

// Find gives the path of the browser's program and what it says of its version: what TWICE_CHROMIUM names, else a
// Chromium or Chrome where the PATH has one.
func Find() (path, version string, err error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	if name := os.Getenv("TWICE_CHROMIUM"); name != "" {
		names = []string{name}
	}
	err = fmt.Errorf("%w: %v is not to be found", ErrAbsent, names)
	for _, name := range names {
		path, look := exec.LookPath(name)
		if look != nil {
			continue
		}
		out, run := exec.Command(path, "--version").Output() // a stand-in that only asks for an installation fails here
		if run == nil {
			return path, strings.TrimSpace(string(out)), nil
		}
		err = fmt.Errorf("%w: %s --version says %q, %v", ErrAbsent, path, out, run)
	}
	return "", "", err
}
