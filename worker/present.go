package worker

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// How often a worker says that it lives, for how long that holds, and how many of its attempts it names.
const (
	presenceEvery = 5 * time.Second
	presenceTTL   = 3 * presenceEvery
	maxProgress   = 100
)

// present announces the worker every few seconds, and withdraws it at the end.
func (r *runner) present() {
	presence, ok := queue.As[queue.Presence](r.engine)
	if !ok {
		return
	}
	for on := true; on; on = pause(r.calls, presenceEvery) {
		r.announce(presence)
	}
	ctx, cancel := context.WithTimeout(r.base, lastWord)
	defer cancel()
	_ = presence.Withdraw(ctx, r.cfg.Name) // else its time runs out
}

// announce reports whether the engine took it.
func (r *runner) announce(presence queue.Presence) bool {
	call, cancel := context.WithTimeout(r.calls, presenceEvery)
	defer cancel()
	err := presence.Announce(call, r.self(), presenceTTL)
	if err != nil && r.calls.Err() == nil {
		r.tell(r.base, Event{What: EngineError, Call: "announce", Err: err, N: 1})
	}
	return err == nil
}

// self describes the worker. While it claims nothing it has no slots.
func (r *runner) self() queue.Worker {
	host, _ := os.Hostname()
	h := r.Health()
	now := time.Now()
	self := queue.Worker{
		Name: r.cfg.Name, Host: host, PID: os.Getpid(), Version: version(), Queues: r.queues, Kinds: r.kinds,
		Slots: h.Slots, Busy: h.Busy, Deaf: h.Deaf, LastPoll: h.LastPoll, Started: r.began, SaidAt: now,
		Running: r.progress(),
	}
	self.Recent, self.Unlisted = r.recent.recent(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.aside || r.draining {
		self.Slots = 0
	}
	return self
}

// servedElsewhere reports whether another live process claims jobs of the attempt's queue and kind.
func (r *runner) servedElsewhere(presence queue.Presence, a *attempt) bool {
	call, cancel := context.WithTimeout(r.calls, presenceEvery)
	defer cancel()
	all, err := presence.Workers(call)
	if err != nil {
		return false
	}
	job := a.lease().Job
	return slices.ContainsFunc(all, func(w queue.Worker) bool {
		return w.Name != r.cfg.Name && !w.Silent && w.Slots > w.Deaf &&
			slices.Contains(w.Queues, job.Queue) && slices.Contains(w.Kinds, job.Kind)
	})
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
