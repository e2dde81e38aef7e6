package dashboard

import (
	"sync"
	"time"
)

// Bounds of the history: about 1 MB in all.
const (
	keptQueues  = 100
	keptSamples = 200
)

// sample is what was counted of one queue at one instant.
type sample struct {
	at     time.Time
	due    int
	oldest float64 // seconds that the oldest due job has been due; 0: none is
	ended  int64   // done and what is no longer kept of it: it only rises
	dead   int64
}

// history keeps the last samples of a few queues for their charts. It may be used concurrently. Where there is no room
// for another queue, the one that was sampled longest ago goes.
type history struct {
	mu     sync.Mutex
	queues map[string][]sample // oldest first
}

func newHistory() *history { return &history{queues: map[string][]sample{}} }

// gap is how close two samples may come: several visitors make no more of them than one.
const gap = 2 * time.Second

// add keeps a sample. One that is not later than the last by gap takes nothing up; a clock that was set back begins anew.
func (h *history) add(queue string, s sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.queues[queue]
	if n := len(all); n > 0 {
		switch since := s.at.Sub(all[n-1].at); {
		case since < -time.Minute:
			all = nil
		case since < gap:
			return
		}
	} else if len(h.queues) >= keptQueues {
		h.forget()
	}
	if len(all) >= keptSamples {
		all = append(all[:0:0], all[len(all)-keptSamples+1:]...)
	}
	h.queues[queue] = append(all, s)
}

// forget needs the lock.
func (h *history) forget() {
	var oldest string
	var at time.Time
	for name, all := range h.queues {
		if last := all[len(all)-1].at; at.IsZero() || last.Before(at) {
			oldest, at = name, last
		}
	}
	delete(h.queues, oldest)
}

// of gives the samples of a queue, oldest first.
func (h *history) of(queue string) []sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]sample(nil), h.queues[queue]...)
}

// window is how far back throughput looks.
const window = time.Minute

// throughput is jobs ended a second over the last minute of samples; known is false where there are too few.
func throughput(all []sample) (perSecond float64, known bool) {
	if len(all) < 2 {
		return 0, false
	}
	last := all[len(all)-1]
	first := all[len(all)-2]
	for i := len(all) - 2; i >= 0 && last.at.Sub(all[i].at) <= window; i-- {
		first = all[i]
	}
	span := last.at.Sub(first.at).Seconds()
	if span <= 0 {
		return 0, false
	}
	return max(0, float64(last.ended-first.ended)/span), true
}

// died counts the jobs that became dead within what is kept, and how long that is; what was redriven meanwhile hides some.
func died(all []sample) (n int64, over time.Duration) {
	for i := 1; i < len(all); i++ {
		n += max(0, all[i].dead-all[i-1].dead)
	}
	if len(all) > 1 {
		over = all[len(all)-1].at.Sub(all[0].at)
	}
	return n, over
}

// chart is what a page draws: seconds since 1970, and a value for each.
type chart struct {
	At     []int64   `json:"at"`
	Values []float64 `json:"values"`
}

// charts gives depth, oldest age and jobs ended a minute over time.
func charts(all []sample) (depth, oldest, ended chart) {
	for i, s := range all {
		at := s.at.Unix()
		depth.At, depth.Values = append(depth.At, at), append(depth.Values, float64(s.due))
		oldest.At, oldest.Values = append(oldest.At, at), append(oldest.Values, float64(int64(s.oldest*10))/10)
		if i > 0 {
			perSecond, _ := throughput(all[:i+1])
			ended.At, ended.Values = append(ended.At, at), append(ended.Values, float64(int64(perSecond*600))/10)
		}
	}
	return depth, oldest, ended
}
