package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// Config of a check; a zero field means its default.
type Config struct {
	// Slack is how far the engine's clock and the recorder's may differ: 5 ms. It weakens only the rules on when a lease
	// ran out and when a job is due.
	Slack time.Duration
	// MaxOrders bounds how many orders are tried for one job: 200,000. A job beyond it is undecided.
	MaxOrders int
}

// complete sets what is not set.
func (c Config) complete() Config {
	c.Slack, c.MaxOrders = cmp.Or(c.Slack, 5*time.Millisecond), cmp.Or(c.MaxOrders, 200_000)
	return c
}

// Report is what a check found.
type Report struct {
	Jobs, Ops, Unknown int // jobs, operations on them, and how many of these have no known outcome
	Unheard            int // claims whose answer nobody had: each may have leased any job that was due
	Replaced           int // leases that were lost with no word, as the claim after them was told
	ToldLost           int // callers that were told that their lease is lost
	Breaches           []Breach
	Undecided          []queue.ID // their history has too many orders
}

// Breach is a step that breaks a rule, in every order that the history leaves open.
type Breach struct {
	Job  queue.ID
	Step Op
	Rule Rule
	Says string
}

// String names job, step and rule.
func (b Breach) String() string {
	return fmt.Sprintf("job %s, %s breaks the rule that %s: %s", b.Job, b.Step, b.Rule, b.Says)
}

// Check judges a history. It takes time in proportion to the number of operations where few of a job overlap, and
// reads ops only; it may be called concurrently.
func Check(ops []Op, cfg Config) Report {
	cfg = cfg.complete()
	w, jobs := split(ops, cfg)
	report := Report{Jobs: len(jobs), Unheard: len(w.unheard)}
	ids := slices.SortedFunc(maps.Keys(jobs), func(a, b queue.ID) int { return cmp.Compare(a.String(), b.String()) })
	for _, id := range ids {
		report.count(jobs[id])
		s := search{world: w, ops: w.essential(jobs[id]), left: cfg.MaxOrders, seen: map[place]bool{}}
		switch wrong := s.run(); {
		case s.left <= 0:
			report.Undecided = append(report.Undecided, id)
		case wrong != nil:
			wrong.Job = id
			report.Breaches = append(report.Breaches, *wrong)
		}
	}
	return report
}

// count takes one job's operations.
func (r *Report) count(ops []Op) {
	r.Ops += len(ops)
	crashes := 0
	for _, op := range ops {
		switch {
		case op.Answer == Unknown:
			r.Unknown++
		case op.Answer == LeaseLost:
			r.ToldLost++
		case op.Call == Claim:
			if op.Counts.Crashes > crashes {
				r.Replaced++
			}
			crashes = op.Counts.Crashes
		}
	}
}

// split gives each job its operations, in the order of the requests. A claim that was asked again began with the
// first request: the leases may be from that one.
func split(ops []Op, cfg Config) (*world, map[queue.ID][]Op) {
	w := &world{slack: int64(cfg.Slack)}
	began := map[string]int64{}
	for _, op := range ops {
		if op.Call != Claim {
			continue
		}
		if t, ok := began[op.Claim]; !ok || op.Start < t {
			began[op.Claim] = op.Start
		}
		w.limit = max(w.limit, op.Cap)
	}
	jobs := map[queue.ID][]Op{}
	for _, op := range ops {
		switch {
		case op.Call == Prune:
			w.pruned = earliest(w.pruned, op.Start)
		case op.Call == Claim && op.Answer == Unknown:
			if ttl := int64(op.TTL); len(w.unheard) == 0 || ttl < w.shortly {
				w.shortly = ttl
			}
			w.unheard = append(w.unheard, op.Start)
		case op.Job.IsZero():
		default:
			if op.Call == Claim {
				op.Start = began[op.Claim]
			}
			jobs[op.Job] = append(jobs[op.Job], op)
		}
	}
	slices.Sort(w.unheard)
	for _, all := range jobs {
		slices.SortStableFunc(all, func(a, b Op) int { return cmp.Compare(a.Start, b.Start) })
	}
	return w, jobs
}

func earliest(a, b int64) int64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}
