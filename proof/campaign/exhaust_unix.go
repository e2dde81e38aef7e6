//go:build unix

package campaign

import "syscall"

// exhaust runs out of memory, by a limit of this process's own: the machine keeps its memory.
func exhaust() {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		panic(err)
	}
	limit.Cur = 1 << 20 // less than there is already: the next that is asked for is refused
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		panic(err)
	}
	hoard()
}
