package server

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// Least is the oldest version of the server that is good enough.
const Least = "6.2"

// ErrAbsent means that there is no server's program to start, or only one that is too old.
var ErrAbsent = errors.New("no redis-server of version " + Least + " or later")

// Find gives the path of the server's program and its version: what TWICE_REDIS_SERVER names, else redis-server
// or valkey-server where the PATH has it.
func Find() (path, version string, err error) {
	names := []string{"redis-server", "valkey-server"}
	if name := os.Getenv("TWICE_REDIS_SERVER"); name != "" {
		names = []string{name}
	}
	err = fmt.Errorf("%w: %v is not to be found", ErrAbsent, names)
	for _, name := range names {
		path, look := exec.LookPath(name)
		if look != nil {
			continue
		}
		out, run := exec.Command(path, "--version").Output()
		m := versionIn.FindSubmatch(out)
		if run != nil || m == nil {
			err = fmt.Errorf("%w: %s --version says %q, %v", ErrAbsent, path, out, run)
			continue
		}
		major, _ := strconv.Atoi(string(m[1]))
		minor, _ := strconv.Atoi(string(m[2]))
		version = string(m[0][len("v="):])
		if major > 6 || major == 6 && minor >= 2 {
			return path, version, nil
		}
		err = fmt.Errorf("%w: %s is %s", ErrAbsent, path, version)
	}
	return "", "", err
}

var versionIn = regexp.MustCompile(`v=(\d+)\.(\d+)[.\d]*`)
