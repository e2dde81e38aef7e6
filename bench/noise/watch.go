// Package noise tells how much others disturb a measurement: the CPU that other processes of the
// machine used meanwhile.
package noise

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Watch is a moment from which the machine and this process are watched.
type Watch struct {
	at        time.Time
	all, self float64
}

// Start starts a watch.
func Start() Watch { return Watch{time.Now(), busy(), own()} }

// Foreign is the number of cores that other processes used since the watch started; 0 where the
// system does not tell.
func (w Watch) Foreign() float64 {
	others := (busy() - w.all) - (own() - w.self)
	return max(0, others/time.Since(w.at).Seconds())
}

// Wait returns when foreign use is below limit, or after atMost.
func Wait(ctx context.Context, atMost time.Duration, limit float64) {
	for end := time.Now().Add(atMost); time.Now().Before(end) && ctx.Err() == nil; {
		w := Start()
		time.Sleep(min(300*time.Millisecond, atMost))
		if w.Foreign() < limit {
			return
		}
	}
}

// busy is the CPU time in seconds that the whole machine has used.
func busy() float64 {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(b), "\n")
	f := strings.Fields(line)
	if len(f) < 8 {
		return 0
	}
	var ticks float64
	for _, i := range []int{1, 2, 3, 6, 7} { // user, nice, system, irq, softirq
		v, _ := strconv.ParseFloat(f[i], 64)
		ticks += v
	}
	return ticks / 100
}

// own is the CPU time in seconds that this process has used.
func own() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return seconds(r.Utime) + seconds(r.Stime)
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
