//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns asks the terminal behind a stream how wide it is; 0: nobody knows.
func columns(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
