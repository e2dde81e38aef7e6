package campaign

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"
)

// Vitals are what a worker process holds.
type Vitals struct {
	Goroutines int    `json:"goroutines"`
	Files      int    `json:"files"` // open ones, sockets among them; 0 where the system does not tell
	Heap       uint64 `json:"heap"`  // in bytes, just after a collection
}

func vitals() Vitals {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	v := Vitals{Goroutines: runtime.NumGoroutine(), Heap: m.HeapAlloc}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		v.Files = len(files)
	}
	return v
}

// Pulse is told now and then by worker processes of a campaign that watches what they hold.
const Pulse Point = "pulse"

const pulseEvery = 250 * time.Millisecond

// pulse tells what this process holds until ctx ends.
func pulse(ctx context.Context, tell func(Event)) {
	for tick := time.NewTicker(pulseEvery); ; {
		select {
		case <-tick.C:
			v := vitals()
			tell(Event{Point: Pulse, Vitals: &v})
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

// What a process may hold at rest beyond what it held after its first jobs: connections and goroutines come and go.
const (
	moreGoroutines = 12
	moreFiles      = 8
	moreHeap       = 8 << 20
)

// grew says what a process holds more of than it did; empty: nothing to speak of.
func (v Vitals) grew(before Vitals) string {
	switch {
	case v.Goroutines > before.Goroutines+moreGoroutines:
		return fmt.Sprintf("%d goroutines, %d before", v.Goroutines, before.Goroutines)
	case v.Files > before.Files+moreFiles:
		return fmt.Sprintf("%d files, %d before", v.Files, before.Files)
	case v.Heap > 2*before.Heap+moreHeap:
		return fmt.Sprintf("%d bytes, %d before", v.Heap, before.Heap)
	}
	return ""
}

// pulses are what processes told of themselves.
type pulses struct {
	last  map[string]Vitals
	count map[string]int
}

func (w *world) pulse(process string) (Vitals, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pulses.last[process], w.pulses.count[process]
}

// resting waits for two pulses of each process from now on, and gives the last.
func (f *Field) resting(ctx context.Context) (map[string]Vitals, error) {
	began := map[string]int{}
	all := map[string]Vitals{}
	err := f.Until(ctx, "every worker tells what it holds", func(context.Context) (bool, error) {
		for _, p := range f.Processes() {
			v, n := f.world.pulse(p.Name)
			if _, known := began[p.Name]; !known {
				began[p.Name] = n
			}
			if n < began[p.Name]+2 {
				return false, nil
			}
			all[p.Name] = v
		}
		return true, nil
	})
	return all, err
}

// restPatience is how long workers may take to give back what they held.
const restPatience = 20 * time.Second

// flat compares what workers hold with what they held before; one that was started since, with the most of those.
func (f *Field) flat(ctx context.Context, before map[string]Vitals) (kept []string, err error) {
	var most Vitals
	for _, v := range before {
		most.Goroutines, most.Files, most.Heap = max(most.Goroutines, v.Goroutines), max(most.Files, v.Files), max(most.Heap, v.Heap)
	}
	for end := time.Now().Add(restPatience); ; {
		now, err := f.resting(ctx)
		if err != nil {
			return nil, err
		}
		kept = kept[:0]
		for name, v := range now {
			base, known := before[name]
			if !known {
				base = most
			}
			if text := v.grew(base); text != "" {
				kept = append(kept, name+": "+text)
			}
		}
		if len(kept) == 0 || time.Now().After(end) {
			return kept, nil
		}
	}
}
