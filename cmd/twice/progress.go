package main

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// progress shows on stderr how far a long step is, once it takes longer than one waits gladly, and only
// where a person looks. While it runs nothing else may write to stderr.
type progress struct {
	s     *session
	what  string
	total int64 // 0: not known
	so    atomic.Int64
	stop  chan struct{}
	gone  sync.WaitGroup
	once  sync.Once
}

// progress begins to show; end must be called.
func (s *session) progress(what string, total int64) *progress {
	p := &progress{s: s, what: what, total: total, stop: make(chan struct{})}
	if s.Terminal(s.Stderr) {
		p.gone.Go(p.draw)
	}
	return p
}

// add says that n more are done.
func (p *progress) add(n int) { p.so.Add(int64(n)) }

// end wipes the bar away. It may be called again.
func (p *progress) end() {
	p.once.Do(func() { close(p.stop) })
	p.gone.Wait()
}

func (p *progress) draw() {
	begun := time.Now()
	select {
	case <-p.stop:
		return
	case <-time.After(p.s.Patience):
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		_, _ = fmt.Fprintf(p.s.Stderr, "\r\x1b[K%s", p.line(time.Since(begun)))
		select {
		case <-p.stop:
			_, _ = fmt.Fprint(p.s.Stderr, "\r\x1b[K")
			return
		case <-tick.C:
		}
	}
}

const barWidth = 24

func (p *progress) line(took time.Duration) string {
	so := p.so.Load()
	switch {
	case p.total > 0 && so > 0:
		part := min(1, float64(so)/float64(p.total))
		full := int(part * barWidth)
		return fmt.Sprintf("%s [%s%s] %3.0f%%  %s of %s  %s", p.what, strings.Repeat("#", full), strings.Repeat("-", barWidth-full),
			part*100, count(so), count(p.total), long(took.Truncate(time.Second)))
	case so > 0:
		return fmt.Sprintf("%s  %s so far  %s", p.what, count(so), long(took.Truncate(time.Second)))
	}
	spot := int(took/(200*time.Millisecond)) % (2*barWidth - 2)
	spot = min(spot, 2*barWidth-2-spot)
	of := ""
	if p.total > 0 {
		of = "  " + count(p.total)
	}
	return fmt.Sprintf("%s [%s#%s]%s  %s", p.what, strings.Repeat("-", spot), strings.Repeat("-", barWidth-1-spot), of, long(took.Truncate(time.Second)))
}
