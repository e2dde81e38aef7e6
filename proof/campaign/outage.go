package campaign

import (
	"context"
	"time"
)

// Outages are the ends of an engine's server, and how long they were felt, at most, in seconds.
type Outages struct {
	N     int     `json:"n"`
	Down  float64 `json:"down_s"`         // from its end until it answered again
	First float64 `json:"first_begun_s"`  // from then until a job began anywhere
	Every float64 `json:"every_worker_s"` // from then until one had begun in each worker process
}

// outages measures them. It is guarded by the world's mutex.
type outages struct {
	Outages
	since time.Time       // the server answers again; zero: nobody is waited for
	all   int             // processes at that time
	left  map[string]bool // those in which no job has begun since
}

// over notes that the server, which had ended then, answers again, and that these processes should go on.
func (w *world) over(ended time.Time, processes []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := &w.outages
	o.since, o.all, o.left = time.Now(), len(processes), map[string]bool{}
	for _, name := range processes {
		o.left[name] = true
	}
	o.N++
	o.Down = max(o.Down, o.since.Sub(ended).Seconds())
}

// begun takes that a job began in a process.
func (o *outages) begun(process string) {
	if !o.left[process] {
		return
	}
	after := time.Since(o.since).Seconds()
	if len(o.left) == o.all {
		o.First = max(o.First, after)
	}
	o.Every = max(o.Every, after)
	delete(o.left, process)
}

// idle reports whether no job has begun in a process since the server answers again.
func (w *world) idle(process string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outages.left[process]
}

// Server is the process that an engine's data is in.
type Server interface {
	// Kill ends it with SIGKILL; it is gone when Kill returns.
	Kill() error
	// Restart starts it again where it was, with what it kept; it answers when Restart returns.
	Restart(ctx context.Context) error
}

// KillServer ends the engine's own server with SIGKILL, among requests that were just answered and others that
// were not yet, and starts it again after a while. The next strike may come when a job has begun in every worker.
func KillServer(s Server, away time.Duration) Attack {
	name := "kill -9 of the server"
	if away > 0 {
		name += ", away for " + away.String()
	}
	return Attack{Name: name, Strike: func(f *Field, _ *Process) (func(context.Context) error, error) {
		p := f.press()
		p.answered(fresh)
		ended := time.Now()
		if err := s.Kill(); err != nil {
			return nil, p.end(err)
		}
		return func(ctx context.Context) error {
			defer context.AfterFunc(ctx, p.cancel)()
			select {
			case <-time.After(away):
			case <-ctx.Done():
			}
			if err := s.Restart(ctx); err != nil {
				return p.end(err)
			}
			var going []*Process
			var names []string
			for _, w := range f.Processes() {
				if w.live() {
					going, names = append(going, w), append(names, w.Name)
				}
			}
			f.world.over(ended, names)
			return p.end(f.Until(ctx, "a job begins in every worker after the server's end", func(context.Context) (bool, error) {
				for _, w := range f.Processes() { // one that was killed before starts once the server answers
					if !w.live() {
						return false, nil
					}
				}
				for _, w := range going {
					if w.live() && f.world.idle(w.Name) {
						return false, nil
					}
				}
				return true, nil
			}))
		}, nil
	}}
}

// Link is a way to an engine's server that can be broken.
type Link interface {
	// DropReplies has requests carried out and cuts the connection in place of the reply, where requests hold text.
	DropReplies(text ...string)
	Heal()
	// Hits is how often a reply was dropped.
	Hits() int
}

// LoseReplies cuts the connections of each link after a request that holds text and before its reply, until that has
// befallen each of them, and a request of the campaign itself.
func LoseReplies(text string, links ...Link) Attack {
	return Attack{Name: "replies lost", Strike: func(f *Field, _ *Process) (func(context.Context) error, error) {
		hits := make([]int, len(links))
		for i, l := range links {
			hits[i] = l.Hits()
			l.DropReplies(text)
		}
		p := f.press()
		return func(ctx context.Context) error {
			defer context.AfterFunc(ctx, p.cancel)()
			err := f.Until(ctx, "a reply is lost on each link", func(context.Context) (bool, error) {
				for i, l := range links {
					if l.Hits() == hits[i] {
						return false, nil
					}
				}
				return p.unanswered(), nil
			})
			for _, l := range links {
				l.Heal()
			}
			return p.end(err)
		}, nil
	}}
}
