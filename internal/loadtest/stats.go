package loadtest

import "slices"

// Quantile is the p-th quantile of a sample, 0 for none; it sorts the sample.
func Quantile[T ~int64 | ~float64](sample []T, p float64) T {
	if len(sample) == 0 {
		return 0
	}
	slices.Sort(sample)
	return sample[min(int(p*float64(len(sample))), len(sample)-1)]
}

// Median is the middle of a sample, or the mean of its two middles; 0 for none.
func Median(sample []float64) float64 {
	if len(sample) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(sample))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
