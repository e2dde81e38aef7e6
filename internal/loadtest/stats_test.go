package loadtest

import "testing"

func TestMedianAndQuantile(t *testing.T) {
	if m := Median([]float64{9, 1, 5}); m != 5 {
		t.Error(m)
	}
	if m := Median([]float64{1, 2, 3, 10}); m != 2.5 {
		t.Error(m)
	}
	if m := Median(nil); m != 0 {
		t.Error(m)
	}
	if q := Quantile([]int64{3, 1, 2}, .99); q != 3 {
		t.Error(q)
	}
}
