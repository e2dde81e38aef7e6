package suite

import (
	"testing"

	"github.com/twicehq/twice/internal/loadtest"
)

func TestBestKeepsTheQuietestRunsOfTheBestWorkerCount(t *testing.T) {
	run := func(workers int, v, foreign float64) Sample {
		return Sample{values{loadtest.PerSecond: v}, Setting{Workers: workers}, foreign}
	}
	all := []Sample{run(10, 5, 0), run(50, 900, 1.5), run(10, 7, 0), run(50, 8, 0), run(10, 6, 0), run(50, 9, 0)}
	kept := best(Scenario{Scenario: loadtest.Scenario{Figures: []loadtest.Figure{loadtest.Rate}}}, all, 2)
	if len(kept) != 2 || kept[0].Workers != 50 || Median(kept, loadtest.PerSecond) != 8.5 {
		t.Error(kept)
	}
	kept = best(Scenario{Scenario: loadtest.Scenario{Figures: []loadtest.Figure{{Name: loadtest.PerSecond, Unit: "ms"}}}}, all, 2)
	if kept[0].Workers != 10 {
		t.Error("less is better here:", kept)
	}
}
