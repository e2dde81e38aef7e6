package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// find gives the live process of that name; nil if there is none.
func (c *crew) find(name string) *Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.now {
		if p != nil && p.Name == name {
			return p
		}
	}
	return nil
}

// processes gives those that run now.
func (c *crew) processes() []*Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*Process
	for _, p := range c.now {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// other gives a live process other than p, if there is one; else p.
func (c *crew) other(p *Process, random *rand.Rand) *Process {
	var all []*Process
	for _, q := range c.processes() {
		if q != p && q.live() {
			all = append(all, q)
		}
	}
	if len(all) == 0 {
		return p
	}
	return all[random.IntN(len(all))]
}

// close lets the processes drain until ctx ends, so that what a late attempt still does is done before it
// is counted; then it kills them.
func (c *crew) close(ctx context.Context) error {
	c.mu.Lock()
	c.stop = true
	c.mu.Unlock()
	var errs []error
	all := c.processes()
	for _, p := range all {
		_ = p.Signal(sigCont) // nothing stays frozen
		_ = p.Signal(syscall.SIGTERM)
	}
	for _, p := range all {
		select {
		case <-p.ended:
		case <-ctx.Done():
			errs = append(errs, p.Kill())
		}
	}
	return errors.Join(append(errs, within(lastWord, "the supervision of the workers ends", c.slots.Wait))...)
}

// untilReady waits until every slot has a process that claims.
func (c *crew) untilReady(ctx context.Context) error {
	for {
		var waiting []string
		all := c.processes()
		for _, p := range all {
			if !p.live() {
				waiting = append(waiting, p.Name)
			}
		}
		if len(waiting) == 0 && len(all) == len(c.now) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("never: %d workers are about to claim; %d were started, not ready are %v: %w", len(c.now), len(all), waiting, ctx.Err())
		case <-c.over:
			_, err := c.starts()
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}
