package diagnose

import "time"

// Rules are the numbers that verdicts depend on; a zero field means its default.
type Rules struct {
	Every  time.Duration // 6 s; between two samples
	Window int           // 10 samples
	Grace  time.Duration // 10 s; a job that has been due for less is not late
	Absent time.Duration // 30 s; how long nobody may be there, or nothing be claimed, before that is a verdict
	Far    time.Duration // 30 s; and more than twice the kind's p99: far longer than usual
	Young  time.Duration // 5 min; a worker that dies younger has not found its feet
	Loop   int           // 3 such deaths within twice that time are a loop
}

// Defaults of Rules.
const (
	DefaultEvery  = 6 * time.Second
	DefaultWindow = 10
	DefaultGrace  = 10 * time.Second
	DefaultAbsent = 30 * time.Second
	DefaultFar    = 30 * time.Second
	DefaultYoung  = 5 * time.Minute
	DefaultLoop   = 3
)

func (r Rules) complete() Rules {
	span := func(d *time.Duration, byDefault time.Duration) {
		if *d <= 0 {
			*d = byDefault
		}
	}
	span(&r.Every, DefaultEvery)
	span(&r.Grace, DefaultGrace)
	span(&r.Absent, DefaultAbsent)
	span(&r.Far, DefaultFar)
	span(&r.Young, DefaultYoung)
	if r.Window <= 0 {
		r.Window = DefaultWindow
	}
	if r.Loop <= 0 {
		r.Loop = DefaultLoop
	}
	return r
}

const (
	// full is the share of slots that must be busy, on average, for them to count as full: settling and claiming take
	// their part.
	full = 0.7
	// target is the share of slots that are busy where there are enough of them.
	target = 0.8
	// measured is from how many attempts on a kind's p99 is taken for usual.
	measured = 5
	// poisoned is how many jobs are few; repeated how often each of them failed at least.
	poisoned, repeated = 5, 2
	// many is how many jobs are not few; oneError the share of failures that make it one error, and down the share of
	// attempts that fail where a dependency is down.
	many, oneError, down = 5, 0.8, 0.5
	// growing is how many jobs that died within the window are more than one bad job.
	growing = 3
)
