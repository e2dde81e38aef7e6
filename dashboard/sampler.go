package dashboard

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// startSampler takes numbers for the charts now and then, until the func it gives is called. An API that wants a token
// and got none is not asked again.
func (d *Dashboard) startSampler() (end func()) {
	if d.cfg.Every < 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		beat := time.NewTicker(d.cfg.Every)
		defer beat.Stop()
		for d.sampleOnce(ctx) {
			select {
			case <-beat.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); all.Wait() }
}

// sampleOnce reports whether it is worth trying again.
func (d *Dashboard) sampleOnce(parent context.Context) bool {
	ctx, cancel := context.WithTimeout(parent, patience)
	defer cancel()
	api, err := d.client(d.cfg.Token, "", nil)
	if err != nil {
		return false
	}
	seen := d.look(ctx, api, d.cfg.Now(), map[string]bool{"verdicts": true})
	d.sampled(seen)
	if parent.Err() == nil { // else it was not waited for
		d.last.keep(seen)
	}
	status := 0
	if seen.trouble != nil {
		status = seen.trouble.status
	}
	return status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusNotImplemented
}

// sampled keeps what was seen of the queues that matter most.
func (d *Dashboard) sampled(s seen) {
	if s.trouble != nil {
		return
	}
	for _, q := range s.queues[:min(len(s.queues), keptQueues)] {
		if q.counted {
			d.history.add(q.Queue.Queue, sampleOf(q.Queue, s.at))
		}
	}
}

func sampleOf(q httpapi.Queue, now time.Time) sample {
	s := sample{at: now, due: q.Ready.N, ended: q.Done + q.Pruned, dead: q.Dead}
	if !q.OldestDue.IsZero() {
		s.oldest = max(0, now.Sub(q.OldestDue).Seconds())
	}
	return s
}
