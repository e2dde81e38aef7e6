// Package model has the protocol's model in Promela, for programs that check it.
package model

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed *.pml check.sh
var files embed.FS

// Needs are the programs that check it.
var Needs = []string{"bash", "spin", "cc"}

// ErrMissing: a program is not there.
var ErrMissing = errors.New("not installed")

// Check runs check.sh, in dir, on the lines whose names match pattern; quick: on those of them that it runs when time is short. It
// gives what was printed, and fails where anything was not as expected, or with ErrMissing.
func Check(ctx context.Context, dir, pattern string, quick bool) (string, error) {
	for _, program := range Needs {
		if _, err := exec.LookPath(program); err != nil {
			return "", errors.Join(ErrMissing, err)
		}
	}
	all, err := fs.Glob(files, "*")
	if err != nil {
		return "", err
	}
	for _, name := range all {
		text, err := files.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	cmd := exec.CommandContext(ctx, "bash", filepath.Join(dir, "check.sh"), pattern)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	if quick {
		cmd.Env = append(cmd.Env, "QUICK=1")
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
