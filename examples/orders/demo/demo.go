package demo

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Demo is a world that is set up and the scenes to play in it. Make one with Open; its methods serve one
// goroutine.
type Demo struct {
	cfg   Config
	world *world
	began time.Time

	first               []order // placed while there was no worker
	poison, killer      order   // the orders that meet a bug
	declined, stillDead order   // the orders that are declined: one until the fix, one for good
}

// scene is one thing that is done to a world, and what is claimed of it. It fails where the evidence could
// not be gathered.
type scene struct {
	name, title string
	play        func(ctx context.Context, d *Demo, r *record) error
}

// scenes are played in this order; each builds on those before it.
var scenes = []scene{
	{"consumers_down", "Consumers down: every order is taken", consumersDown},
	{"drained", "Two workers drain it: one charge, one mail each", drained},
	{"double_run", "The double run: the world stays as it was", doubleRun},
	{"killed", "Killed between charge and record: charged once", killed},
	{"in_doubt", "Killed between mail and record: a person is asked", inDoubt},
	{"frozen", "Frozen past its lease: what it says is refused", frozen},
	{"poison", "A poison order: tried a few times, then set aside", poison},
	{"killer", "A job that kills its process: the others are done", killer},
	{"redriven", "Redriven after the fix: done, and charged once", redriven},
	{"books", "The books: nothing is missing, nothing is double", books},
}

// elsewhere are played beside the scenes, in worlds of their own, and told last.
var elsewhere = []scene{
	{"told_apart", "Late in two ways: stuck is told from too few", toldApart},
	{"control", "Control: without the guards it does happen twice", controlled},
}

// startElsewhereBefore is the scene beside which those begin: the ones before it measure how long things take.
const startElsewhereBefore = "killed"

// Open sets a world up in which nothing runs yet. Close must be called, also after an error.
func Open(ctx context.Context, cfg Config) (*Demo, error) {
	d := &Demo{cfg: cfg.complete(), began: time.Now()}
	var err error
	d.world, err = openWorld(ctx, d.cfg, filepath.Join(cfg.Dir, "shop"), d.cfg.Engine, !cfg.WithoutLedger)
	if err == nil {
		err = d.world.fresh(ctx)
	}
	d.world.faults, d.world.admin = []string{"poison-=fail", "killer-=kill"}, cfg.Admin
	return d, err
}

// Facts gives what is known before the first scene.
func (d *Demo) Facts() Report {
	t := d.world.engine.Traits()
	return Report{Engine: t.Name, Durability: t.Durability, Tables: d.world.tables(), LeaseSeconds: Lease.Seconds(), MaxFailures: maxFailures, BackoffSeconds: backoff.Seconds(), Seed: d.cfg.Seed}
}

// Play plays every scene. The error says that ctx ended; whatever else goes wrong is a claim that does not hold.
func (d *Demo) Play(ctx context.Context) (Report, error) {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	report := d.Facts()
	report.Holds = true
	take := func(c Claim) {
		report.Claims = append(report.Claims, c)
		report.Holds = report.Holds && c.Holds
		d.cfg.Ends(len(report.Claims), c)
	}
	var beside [2]sync.WaitGroup
	var others [len(beside)]Claim
	for _, s := range scenes {
		if ctx.Err() != nil {
			break
		}
		if s.name == startElsewhereBefore {
			for i, a := range elsewhere {
				beside[i].Go(func() { others[i] = d.stage(limited, a) })
			}
		}
		d.cfg.Begins(len(report.Claims)+1, s.title)
		take(d.stage(limited, s))
	}
	for i := range beside {
		if ctx.Err() == nil {
			d.cfg.Begins(len(report.Claims)+1, elsewhere[i].title)
			beside[i].Wait()
			take(others[i])
		}
		beside[i].Wait() // its world is closed
	}
	report.Seconds = round(time.Since(began).Seconds())
	return report, ctx.Err()
}

// stage plays one scene within its limit and afterwards lets the systems outside behave again.
func (d *Demo) stage(ctx context.Context, s scene) Claim {
	ctx, cancel := context.WithTimeout(ctx, sceneLimit)
	defer cancel()
	r := newRecord(s)
	err := d.ready(ctx, s)
	if err == nil {
		err = s.play(ctx, d, r)
	}
	if !isElsewhere(s) {
		d.world.settle(ctx)
	}
	return r.end(err)
}

func isElsewhere(s scene) bool {
	return slices.ContainsFunc(elsewhere, func(a scene) bool { return a.name == s.name })
}

// ready fails where a scene cannot be played: its time is over, or the processes it is about never came up.
func (d *Demo) ready(ctx context.Context, s scene) error {
	switch alone := s.name == scenes[0].name || isElsewhere(s); {
	case ctx.Err() != nil:
		return errors.New("there was no time left for it")
	case !alone && d.world.shop == nil:
		return errors.New("the API never came up")
	case !alone && s.name != scenes[1].name && len(d.world.workers) == 0:
		return errors.New("no worker ever came up")
	}
	return nil
}

// Close ends every process, in order if inOrder, and closes everything. It removes no file.
func (d *Demo) Close(inOrder bool) {
	d.world.close(inOrder)
}

// Place is one part of the world, for whoever wants to look at it while it runs.
type Place struct {
	Name string `json:"name"`
	At   string `json:"at"`
	PID  int    `json:"pid,omitempty"`
	Log  string `json:"log,omitempty"`
}

// Places tells what runs where.
func (d *Demo) Places() []Place {
	w := d.world
	all := []Place{{Name: "engine", At: w.url}, {Name: "gateway", At: w.GatewayURL}, {Name: "mail", At: w.MailURL}, {Name: "smtp", At: w.MailAddr}}
	if w.api != nil {
		all = append(all, Place{"api", w.apiURL, w.api.pid(), w.api.log.path})
		if w.admin {
			all = append(all, Place{"dashboard", w.adminURL, w.api.pid(), w.api.log.path})
		}
	}
	for _, p := range w.workers {
		all = append(all, Place{p.name, "", p.pid(), p.log.path})
	}
	return all
}
