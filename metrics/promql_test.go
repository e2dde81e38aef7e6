package metrics_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/metrics"
)

// byName is the catalogue; a histogram has three series.
var byName = func() map[string]metrics.Desc {
	all := map[string]metrics.Desc{}
	for _, d := range metrics.All() {
		all[d.Name] = d
	}
	return all
}()

// known are the values that a label may have.
var known = map[string][]string{
	"state":   {"queued", "running", "done", "dead", "cancelled", "free", "busy", "deaf"},
	"outcome": {"done", "failed", "timed_out", "panicked", "interrupted", "snoozed", "cancelled", "buried"},
	"status":  {"accepted", "duplicate", "conflict", "refused", "error"},
	"verdict": {string(diagnose.BrokerDown), string(diagnose.NoData), string(diagnose.Paused), string(diagnose.NoConsumer), string(diagnose.ConsumerDead), string(diagnose.StuckHandler),
		string(diagnose.StuckDispatch), string(diagnose.CrashLoop), string(diagnose.Poison), string(diagnose.DependencyDown), string(diagnose.Throttled), string(diagnose.UnderProvisioned), string(diagnose.DeadLettersGrowing)},
}

// ofTarget are the labels that Prometheus adds.
var ofTarget = []string{"job", "instance", "pod"}

var (
	selector = regexp.MustCompile(`\b(twice_[a-z0-9_]+)(?:\{([^}]*)\})?(\[[0-9a-z]+\])?`)
	matcher  = regexp.MustCompile(`^\s*(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"\s*$`)
	grouping = regexp.MustCompile(`\b(by|without)\s*\(([^)]*)\)`)
	word     = regexp.MustCompile(`^[a-z_]+$`)
	// One value of many replicas, however it is grouped.
	overReplicas = regexp.MustCompile(`\b(max|min)\s*((by|without)\s*\([^)]*\)\s*)?\($`)
	ofCounter    = regexp.MustCompile(`\b(rate|increase)\($`)
)

func catalogued(expr string) map[string]metrics.Desc {
	found := map[string]metrics.Desc{}
	for _, m := range selector.FindAllStringSubmatch(expr, -1) {
		name := m[1]
		if _, ok := byName[name]; !ok {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if base, cut := strings.CutSuffix(name, suffix); cut && byName[base].Kind == metrics.Histogram {
					name = base
				}
			}
		}
		found[name] = byName[name]
	}
	return found
}

// labelsOf gives the labels that a result of expr may have.
func labelsOf(expr string) (labels []string) {
	groups := grouping.FindAllStringSubmatch(expr, -1)
	for _, g := range groups {
		if g[1] == "by" {
			for l := range strings.SplitSeq(g[2], ",") {
				labels = append(labels, strings.TrimSpace(l))
			}
		}
	}
	if len(labels) > 0 {
		return labels
	}
	for _, d := range catalogued(expr) {
		labels = append(labels, d.Labels...)
	}
	return labels
}

// faults says what is wrong with a query: metrics and labels that there are not, values that never come, a global metric
// that is summed over replicas, a counter read as it is.
func faults(expr string) (found []string) {
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)+" in "+expr) }
	var labels []string
	for name, d := range catalogued(expr) {
		if d.Name == "" {
			bad("there is no metric %s", name)
		}
		labels = append(labels, d.Labels...)
		if d.Kind == metrics.Histogram {
			labels = append(labels, "le")
		}
	}
	for _, at := range selector.FindAllStringSubmatchIndex(expr, -1) {
		name, before := expr[at[2]:at[3]], expr[:at[0]]
		d := byName[name]
		if at[4] >= 0 {
			for part := range strings.SplitSeq(expr[at[4]:at[5]], ",") {
				m := matcher.FindStringSubmatch(part)
				switch {
				case m == nil:
					bad("%q selects nothing", part)
				case d.Name != "" && !slices.Contains(slices.Concat(d.Labels, ofTarget), m[1]):
					bad("%s has no label %s", name, m[1])
				case known[m[1]] != nil:
					for value := range strings.SplitSeq(m[3], "|") {
						if word.MatchString(value) && !slices.Contains(known[m[1]], value) {
							bad("%s is never %q", m[1], value)
						}
					}
				}
			}
		}
		ranged := at[6] >= 0
		switch {
		case d.Global && !overReplicas.MatchString(before):
			bad("%s is the same on every replica: take its max", name)
		case d.Kind == metrics.Counter && !(ofCounter.MatchString(before) && ranged):
			bad("%s is a counter: take its rate or increase", name)
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for l := range strings.SplitSeq(g[2], ",") {
			if l = strings.TrimSpace(l); !slices.Contains(slices.Concat(labels, ofTarget), l) {
				bad("nothing has the label %s", l)
			}
		}
	}
	if strings.Count(expr, "(") != strings.Count(expr, ")") {
		bad("its brackets do not match")
	}
	return found
}

// The control: what the check of alerts and board must find.
func TestFaults(t *testing.T) {
	for expr, says := range map[string]string{
		`max without (instance, pod) (twice_queue_verdict{verdict="poison"}) == 1`:                         "",
		`histogram_quantile(0.99, sum by (kind, le) (rate(twice_job_run_seconds_bucket{queue=~"a"}[5m])))`: "",
		`max (twice_in_doubt) > 0 or absent(twice_up)`:                                                     "",
		`max (twice_queue_depth)`:                                           "no metric twice_queue_depth",
		`sum (rate(twice_leases_lost_total_bucket[5m]))`:                    "no metric twice_leases_lost_total_bucket",
		`sum by (queue) (twice_queue_jobs{state="queued"})`:                 "the same on every replica",
		`twice_queue_jobs`:                                                  "the same on every replica",
		`max (twice_queue_jobs{kind="x"})`:                                  "has no label kind",
		`max (twice_queue_jobs{state="ready"})`:                             `state is never "ready"`,
		`max by (kind) (twice_queue_jobs)`:                                  "nothing has the label kind",
		`max (twice_queue_verdict{verdict="poisonous"})`:                    `verdict is never "poisonous"`,
		`sum (rate(twice_jobs_ended_total{outcome=~"failed|crashed"}[5m]))`: `outcome is never "crashed"`,
		`sum (twice_leases_lost_total)`:                                     "take its rate",
		`sum (rate(twice_leases_lost_total))`:                               "take its rate",
		`max (twice_in_doubt`:                                               "brackets",
	} {
		found := strings.Join(faults(expr), "; ")
		if (says == "") != (found == "") || !strings.Contains(found, says) {
			t.Errorf("%s: found %q, want %q", expr, found, says)
		}
	}
}
