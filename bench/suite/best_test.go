package suite

import "testing"

func TestBestKeepsTheQuietestRunsOfTheBestWorkerCount(t *testing.T) {
	run := func(workers int, v, foreign float64) Sample {
		return Sample{Values{perSecond: v}, workers, foreign}
	}
	all := []Sample{run(10, 5, 0), run(50, 900, 1.5), run(10, 7, 0), run(50, 8, 0), run(10, 6, 0), run(50, 9, 0)}
	kept := best(Scenario{Figures: []Figure{rate}}, all, 2)
	if len(kept) != 2 || kept[0].Workers != 50 || Median(kept, perSecond) != 8.5 {
		t.Error(kept)
	}
	kept = best(Scenario{Figures: []Figure{{perSecond, "ms", false}}}, all, 2)
	if kept[0].Workers != 10 {
		t.Error("less is better here:", kept)
	}
}
