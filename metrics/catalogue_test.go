package metrics_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice/metrics"
)

// The names and labels that tools rely on, and which of them are the same on every replica.
func TestAll(t *testing.T) {
	wanted := []string{
		"twice_up", "twice_series_capped_total",
		"twice_queue_jobs{queue,state} global", "twice_queue_oldest_age_seconds{queue} global", "twice_job_wait_seconds{queue,kind}",
		"twice_job_run_seconds{queue,kind}", "twice_jobs_ended_total{queue,kind,outcome}", "twice_worker_slots{state}",
		"twice_worker_poll_age_seconds", "twice_leases_lost_total", "twice_queue_verdict{queue,verdict} global",
		"twice_slots_needed{queue} global", "twice_enqueued_total{queue,kind,status}", "twice_pruned_total", "twice_in_doubt global",
		"twice_schedule_missed_total", "twice_orphans_repaired_total", "twice_invariant_broken_total{invariant}",
	}
	var got []string
	for _, d := range metrics.All() {
		line := d.Name
		if len(d.Labels) > 0 {
			line += "{" + strings.Join(d.Labels, ",") + "}"
		}
		if d.Global {
			line += " global"
		}
		if strings.Contains(d.Help, "max, not sum") != d.Global || (d.Kind == metrics.Counter) != strings.HasSuffix(d.Name, "_total") || !slices.IsSorted(d.Bounds) {
			t.Errorf("%s: %+v", d.Name, d)
		}
		got = append(got, line)
	}
	slices.Sort(got)
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}
