package suite

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Helped is a store with processes of its own, whose CPU is not foreign.
type Helped interface{ PIDs() []int }

// helpers are such processes, from a moment on.
type helpers struct {
	at   time.Time
	pids []int
	used float64
}

func watchHelpers(store io.Closer) helpers {
	h := helpers{at: time.Now()}
	if s, ok := store.(Helped); ok {
		h.pids = s.PIDs()
	}
	h.used = cpu(h.pids)
	return h
}

// cores is how many cores they used since.
func (h helpers) cores() float64 { return (cpu(h.pids) - h.used) / time.Since(h.at).Seconds() }

// cpu is the CPU time in seconds that processes have used, 0 where the system does not tell.
func cpu(pids []int) (seconds float64) {
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(b), ") ") // the name before it may hold anything but this, here
		for i, f := range strings.Fields(after) {
			if i == 11 || i == 12 { // user, system
				ticks, _ := strconv.ParseFloat(f, 64)
				seconds += ticks / 100
			}
		}
	}
	return seconds
}
