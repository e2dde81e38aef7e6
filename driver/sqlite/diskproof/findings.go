package diskproof

import (
	"fmt"
	"slices"
	"sync"
)

// findings are what was found broken.
type findings struct {
	mu    sync.Mutex
	lines []string
	n     int
}

// kept is how many are told; a disk that loses everything loses it a thousand times.
const kept = 100

func (f *findings) broke(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n++; f.n <= kept {
		f.lines = append(f.lines, fmt.Sprintf(format, args...))
	}
}

func (f *findings) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// list gives those that were kept, and says how many were not.
func (f *findings) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n > kept {
		return append(slices.Clone(f.lines), fmt.Sprintf("and %d more", f.n-kept))
	}
	return slices.Clone(f.lines)
}
