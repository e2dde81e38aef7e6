package diagnose

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Config of a Watch; a zero field means the default of its comment.
type Config struct {
	Rules      Rules
	Queues     []string      // all; else these, also where nothing was ever in them
	MaxQueues  int           // 1,000; the busiest are kept, the others counted
	MaxWorkers int           // 1,000
	Timeout    time.Duration // half of Rules.Every; after which an engine that has not answered is down
}

// Defaults of Config.
const (
	DefaultMaxQueues  = 1000
	DefaultMaxWorkers = 1000
)

// Watch takes samples of an engine and keeps the last of them. It reads only: nothing that it asks holds anybody up.
// Its memory is bounded by Config, whatever the engine holds and whatever workers say. An engine that fails, hangs or goes
// away is a sample that says so. All methods may be called concurrently.
type Watch struct {
	engine queue.Engine
	cfg    Config

	one     sync.Mutex    // held while a sample is taken
	pending chan struct{} // closed when the call that was not waited for returns; nil: there is none
	left    time.Time     // when that was
	memory  memory

	mu      sync.Mutex
	samples []Sample // oldest first; what is in one is not changed any more
}

// NewWatch makes a watch of engine; it takes no sample yet. A negative number in cfg means its default.
func NewWatch(engine queue.Engine, cfg Config) *Watch {
	cfg.Rules = cfg.Rules.complete()
	if cfg.MaxQueues <= 0 {
		cfg.MaxQueues = DefaultMaxQueues
	}
	if cfg.MaxWorkers <= 0 {
		cfg.MaxWorkers = DefaultMaxWorkers
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = cfg.Rules.Every / 2
	}
	cfg.Queues = slices.Clone(cfg.Queues)
	return &Watch{engine: engine, cfg: cfg}
}

// Run takes a sample at once and then every Rules.Every, until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	ticker := time.NewTicker(w.cfg.Rules.Every)
	defer ticker.Stop()
	for {
		w.Take(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Take takes a sample now, keeps it, and gives it. It returns within Config.Timeout and a quarter of it, also where the engine
// does not. Where ctx has ended, nothing was seen and nothing is kept.
func (w *Watch) Take(ctx context.Context) Sample {
	w.one.Lock()
	defer w.one.Unlock()
	s := w.see(ctx)
	if ctx.Err() != nil {
		return s
	}
	w.memory.take(&s, w.cfg.Rules)
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.samples); n > 0 {
		w.samples[n-1] = thin(w.samples[n-1])
	}
	w.samples = append(w.samples, s)
	if over := len(w.samples) - w.cfg.Rules.Window; over > 0 {
		w.samples = slices.Delete(w.samples, 0, over)
	}
	return s
}

// Samples gives those kept, oldest first. What they hold must not be changed.
func (w *Watch) Samples() []Sample {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.samples)
}

// Findings is Diagnose of the samples kept: one finding a queue, none before the first sample.
func (w *Watch) Findings() []Finding { return Diagnose(w.Samples(), w.cfg.Rules) }

// thin leaves of an older sample what a window needs: what was counted, not what ran and failed then.
func thin(s Sample) Sample {
	s.Due, s.Gone, s.Usual, s.Held = nil, nil, nil, nil
	s.Workers = slices.Clone(s.Workers)
	for i := range s.Workers {
		s.Workers[i].Running = nil
		s.Workers[i].Recent = slices.Clone(s.Workers[i].Recent)
		for j := range s.Workers[i].Recent {
			s.Workers[i].Recent[j].Failures = nil
		}
	}
	return s
}
