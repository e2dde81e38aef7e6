package loadtest

import (
	"os"
	"time"
)

// Fsync is what the disk does in one stretch: appends of 4 KiB, each followed by an fsync.
type Fsync struct {
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	Ops float64       `json:"ops_per_second"`
}

// Probe appends and syncs in dir for about d.
func Probe(dir string, d time.Duration) (Fsync, error) {
	f, err := os.CreateTemp(dir, "fsync")
	if err != nil {
		return Fsync{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var took []time.Duration
	page := make([]byte, 4096)
	start := time.Now()
	for t := start; t.Sub(start) < d; {
		if _, err := f.Write(page); err != nil {
			return Fsync{}, err
		}
		if err := f.Sync(); err != nil {
			return Fsync{}, err
		}
		now := time.Now()
		took = append(took, now.Sub(t))
		t = now
	}
	return Fsync{
		P50: Quantile(took, .5),
		P99: Quantile(took, .99),
		Ops: float64(len(took)) / time.Since(start).Seconds(),
	}, nil
}

// MedianFsync is the median of each figure.
func MedianFsync(probes []Fsync) Fsync {
	var p50, p99, ops []float64
	for _, p := range probes {
		p50 = append(p50, float64(p.P50))
		p99 = append(p99, float64(p.P99))
		ops = append(ops, p.Ops)
	}
	return Fsync{time.Duration(Median(p50)), time.Duration(Median(p99)), Median(ops)}
}
