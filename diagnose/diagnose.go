package diagnose

import "slices"

// Diagnose gives one finding for each queue of the samples, by name. The samples are in the order in which they were taken,
// the newest last; where the counts went back, or jumped ahead of what lies between two samples, only what came after
// that is looked at. It is pure, and takes whatever workers say of themselves: numbers that cannot be are not believed.
func Diagnose(samples []Sample, rules Rules) []Finding {
	rules = rules.complete()
	if n := len(samples) - rules.Window; n > 0 {
		samples = samples[n:]
	}
	if len(samples) == 0 {
		return nil
	}
	index := indexed(samples)
	var found []Finding
	for _, name := range index.names() {
		found = append(found, index.view(name, rules).finding())
	}
	return found
}

// match is what a verdict's function has to say where the verdict fits.
type match struct {
	well     bool
	says     string
	change   string
	do       string
	evidence []Evidence
}

// order is the table of verdicts: the first that matches is given. Each is one function of the view of one queue.
var order = []struct {
	verdict Verdict
	match   func(*view) *match
}{
	{BrokerDown, brokerDown},
	{NoData, noData},
	{Paused, paused},
	{NoConsumer, noConsumer},
	{ConsumerDead, consumerDead},
	{StuckHandler, stuckHandler},
	{StuckDispatch, stuckDispatch},
	{CrashLoop, crashLoop},
	{Poison, poison},
	{DependencyDown, dependencyDown},
	{Throttled, throttled},
	{UnderProvisioned, underProvisioned},
	{CatchingUp, catchingUp},
	{DeadLettersGrowing, deadLettersGrowing},
	{Healthy, healthy},
	{Idle, idle},
	{Undetermined, undetermined},
}

// blind are the verdicts after which nothing else can be told; unworked those after which a backlog says nothing of
// how many slots there should be.
var (
	blind    = []Verdict{BrokerDown, NoData}
	unworked = []Verdict{NoConsumer, ConsumerDead, StuckHandler, StuckDispatch}
)

func (v *view) finding() Finding {
	f := Finding{Queue: v.queue, Samples: len(v.moments), Evidence: []Evidence{}}
	for _, row := range order {
		if f.Verdict != "" && (row.verdict == Undetermined || slices.Contains(blind, f.Verdict) ||
			row.verdict == UnderProvisioned && slices.Contains(unworked, f.Verdict)) {
			continue
		}
		m := row.match(v)
		switch {
		case m == nil:
		case f.Verdict == "":
			f.Verdict, f.Well, f.Says, f.Change, f.Do = row.verdict, m.well, m.says, m.change, m.do
			f.Evidence = append(f.Evidence, m.evidence...)
			if !m.well {
				f.Runbook = string(row.verdict)
			}
		case !m.well:
			f.Also = append(f.Also, row.verdict)
		}
	}
	f.Since, f.At = v.last.At, v.last.At
	if len(v.moments) > 0 && !slices.Contains(blind, f.Verdict) {
		f.Since, f.At = v.moments[0].now, v.now().now
		f.Capacity = v.capacity()
	}
	return f
}
