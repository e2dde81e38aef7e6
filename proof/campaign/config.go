package campaign

import (
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Config of a campaign; a zero field means the default of its comment.
type Config struct {
	Name        string
	URL         string            // of an engine that several processes can share
	Openers     map[string]Opener // by the URL's scheme; the same that Main got
	Dir         string            // for the remote's log, the workers' log and the history
	Seed        uint64            // what is random follows from it; the machine's timing does not
	Jobs        int               // 1,000
	Strikes     int               // how often the attack strikes; 0: not at all
	Attack      Attack            // KillWorkers
	Points      []Point           // where it may strike; all, and other processes than the one that passes the point, too
	Workers     int               // 3 processes
	Concurrency int               // 8 slots in each
	Lease       time.Duration     // 1 s
	Grace       time.Duration     // 5 s
	Timeout     time.Duration     // 10 min, of all of it
	Control     Control           // none
	MaxFailures int               // 100; the failure cap of the jobs
	// MaxCrashes is the crash cap of the jobs. By default it is beyond what the strikes can do, since a kill
	// takes innocents with it: then no job is ever a suspect. With a lower cap, set Lone: suspects run in
	// processes of their own, and none of the innocents is to be buried.
	MaxCrashes int
	Lone       bool
	// Killers, where it is set, has every worker process keep a schedule of one job a second, of which
	// those due up to this time kill their process.
	Killers time.Time
	// Producers are processes that enqueue, besides the campaign itself, for as long as it strikes; 0: none.
	Producers int
	// Backlog jobs are enqueued before there is a worker; 0: none.
	Backlog int
	// Poison is enqueued beside the jobs, one of each: each must be dead exactly at its cap, and no other job with it.
	Poison []Do
	// Redriven has every job give up after its first step, and a person redrive all that did while the attack strikes.
	Redriven bool
	// Flat has the workers' memory, goroutines and files compared: at rest after the last job with at rest after the first.
	Flat bool
	// History has every process record its calls of the engine, to be judged by the protocol and by porcupine. It is not
	// for a campaign that sets the engine's clock off: the rules on time would be broken.
	History History
	// Command runs this program again; by default with the argument "worker". Its environment is replaced.
	Command func() *exec.Cmd

	bystanders bool
}

func (c Config) complete() (Config, error) {
	number := func(n *int, byDefault int) {
		if *n == 0 {
			*n = byDefault
		}
	}
	span := func(d *time.Duration, byDefault time.Duration) {
		if *d == 0 {
			*d = byDefault
		}
	}
	number(&c.Jobs, 1000)
	number(&c.Workers, 3)
	number(&c.Concurrency, 8)
	number(&c.MaxCrashes, c.Strikes+2)
	number(&c.MaxFailures, 100)
	span(&c.Lease, time.Second)
	span(&c.Grace, 5*time.Second)
	span(&c.Timeout, 10*time.Minute)
	if c.Name == "" {
		c.Name = "campaign"
	}
	if c.Attack.Strike == nil {
		c.Attack = KillWorkers
	}
	if c.Strikes == 0 {
		c.Attack.Name = "no strikes"
	}
	if len(c.Points) == 0 {
		c.Points, c.bystanders = points, true
	}
	if c.Command == nil {
		c.Command = again
	}
	var problems []error
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("campaign %s: "+format, append([]any{c.Name}, args...)...))
	}
	if c.URL == "" || c.Dir == "" {
		wrong("it needs the URL of an engine and a folder of its own")
	}
	if c.Jobs < 0 || c.Strikes < 0 || c.Workers < 0 || c.Concurrency < 0 || c.MaxCrashes < 0 {
		wrong("a number is negative")
	}
	if least := leastPortion * (c.Strikes + 1); c.Jobs < least {
		wrong("%d jobs are too few for %d strikes: use at least %d", c.Jobs, c.Strikes, least)
	}
	return c, errors.Join(problems...)
}
