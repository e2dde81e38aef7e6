//go:build !unix

package demo

import (
	"errors"
	"os"
	"os/exec"
)

func apart(*exec.Cmd) {}

var errNoFreezing = errors.New("this system cannot freeze a process")

func freeze(*os.Process) error { return errNoFreezing }
func thaw(*os.Process) error   { return errNoFreezing }
