package suite

import (
	"slices"

	"github.com/twicehq/twice/internal/loadtest"
)

// enough says whether every contestant has as many quiet runs of each setting as are kept.
func (r *runner) enough(samples [][]Sample, errs []error) bool {
	for i, all := range samples {
		if errs[i] != nil {
			continue
		}
		for _, group := range bySetting(all) {
			quiet := 0
			for _, s := range group {
				if s.Foreign < r.cfg.Quiet {
					quiet++
				}
			}
			if quiet < r.cfg.Runs {
				return false
			}
		}
	}
	return true
}

// best keeps the quietest runs of each setting, and of these the setting with the best median.
func best(sc Scenario, all []Sample, keep int) (kept []Sample) {
	first := sc.Figures[0]
	for _, group := range bySetting(all) {
		slices.SortStableFunc(group, func(a, b Sample) int {
			if a.Foreign < b.Foreign {
				return -1
			}
			if a.Foreign > b.Foreign {
				return 1
			}
			return 0
		})
		group = group[:min(keep, len(group))]
		if kept == nil || (Median(group, first.Name) > Median(kept, first.Name)) == first.More {
			kept = group
		}
	}
	return kept
}

// bySetting groups runs by setting, in the order in which those were tried.
func bySetting(all []Sample) (groups [][]Sample) {
	at := map[Setting]int{}
	for _, s := range all {
		i, ok := at[s.Setting]
		if !ok {
			i = len(groups)
			at[s.Setting] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// Median is the median of one figure over runs.
func Median(samples []Sample, figure string) float64 {
	return loadtest.Median(Numbers(samples, figure))
}

// Numbers are one figure's values in all runs that have it.
func Numbers(samples []Sample, figure string) (v []float64) {
	for _, s := range samples {
		if x, ok := s.Values[figure]; ok {
			v = append(v, x)
		}
	}
	return v
}
