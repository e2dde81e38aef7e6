package diagnose_test

import (
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
)

// naive looks at depth and age only, as many an alert does: late, and not getting less.
func naive(samples []diagnose.Sample) diagnose.Verdict {
	first, last := samples[0].Queues[0], samples[len(samples)-1].Queues[0]
	switch {
	case last.OldestDue.IsZero() || last.AsOf.Sub(last.OldestDue) <= 10*time.Second:
		return diagnose.Healthy
	case last.Ready.N > first.Ready.N:
		return diagnose.UnderProvisioned
	}
	return diagnose.CatchingUp
}

// TestControl: without a look at who works, a stuck consumer is taken for too few of them. The same samples
// tell them apart.
func TestControl(t *testing.T) {
	confused := 0
	for i, sc := range scenes {
		if !slices.Contains(stuck, sc.want) && sc.want != diagnose.UnderProvisioned {
			continue
		}
		if sc.name == "some handlers are deaf to their context" || sc.name == "jobs of a kind that nobody handles" {
			continue // the others may well keep up
		}
		for seed := range uint64(3) {
			s := play(t, 77+seed*1000+uint64(i), sc.play)
			said := naive(s.watch.Samples())
			if said != diagnose.UnderProvisioned {
				t.Errorf("%s: the naive rule says %s", sc.name, said)
			}
			f, _ := s.verdict()
			if f.Verdict != sc.want {
				t.Errorf("%s: %s, not %s: %s", sc.name, f.Verdict, sc.want, f.Says)
			}
			if said != sc.want {
				confused++
			}
		}
	}
	if confused < 20 {
		t.Errorf("the naive rule confused %d scenes: the scenes are too easy", confused)
	}
}
