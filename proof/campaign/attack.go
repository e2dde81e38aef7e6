package campaign

import (
	"context"
	"strings"
	"syscall"
	"time"
)

// Attack is what is done to a campaign again and again.
type Attack struct {
	Name string
	// Strike is called the moment a point is passed, with the worker process drawn as its victim; whoever
	// passed the point waits for it, so it is brief. heal, which may be nil, runs after it, beside the load,
	// and ends when the next strike may come, or its context ends.
	Strike func(f *Field, victim *Process) (heal func(context.Context) error, err error)
}

// KillWorkers ends a worker process with SIGKILL; its supervisor starts it again.
var KillWorkers = Attack{Name: "kill -9 of workers", Strike: func(_ *Field, victim *Process) (func(context.Context) error, error) {
	return nil, victim.Kill()
}}

// StopWorkers ends a worker process with SIGTERM, as a deploy does.
var StopWorkers = Attack{Name: "deploys", Strike: func(_ *Field, victim *Process) (func(context.Context) error, error) {
	return nil, victim.Signal(syscall.SIGTERM)
}}

// FreezeWorkers stops a worker process for more than two leases, and until one of its jobs was begun
// elsewhere, but for no more than twenty; then it goes on as if nothing had happened. One that was stopped while
// it held the lock of the whole store lets nobody else begin anything: it goes on after five leases.
var FreezeWorkers = Attack{Name: "workers frozen past two leases", Strike: func(f *Field, victim *Process) (func(context.Context) error, error) {
	attempts := f.world.underway(victim.Name)
	if err := victim.Signal(sigStop); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		defer func() { _ = victim.Signal(sigCont) }()
		least := time.After(f.cfg.Lease*2 + f.cfg.Lease/4)
		if len(attempts) > 0 && f.writable(ctx, 5*f.cfg.Lease) {
			most, cancel := context.WithTimeout(ctx, 15*f.cfg.Lease)
			defer cancel()
			_ = f.Until(most, "a frozen worker's job begins elsewhere", func(context.Context) (bool, error) {
				return f.world.overtaken(attempts), nil
			})
		}
		select {
		case <-least:
		case <-ctx.Done():
		}
		if f.world.overtaken(attempts) {
			f.world.mu.Lock()
			f.world.points[Overtaken]++
			f.world.mu.Unlock()
		}
		return ctx.Err()
	}, nil
}}

// writable reports whether the store takes a write within d.
func (f *Field) writable(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return f.Store.Engine.Ping(ctx) == nil
}

// Overtaken counts the frozen workers of which a job was begun elsewhere before they went on.
const Overtaken Point = "overtaken"

// Mixed strikes with each of these in turn.
func Mixed(attacks ...Attack) Attack {
	var names []string
	for _, a := range attacks {
		names = append(names, a.Name)
	}
	n := 0
	return Attack{Name: strings.Join(names, ", "), Strike: func(f *Field, victim *Process) (func(context.Context) error, error) {
		n++
		return attacks[n%len(attacks)].Strike(f, victim)
	}}
}
