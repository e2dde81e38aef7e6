package campaign

import (
	"math/rand/v2"
	"testing"
)

// The first strike of a campaign lands where jobs pass that have not crashed: else a run could go by in which every
// strike waited for a job that nothing had made.
func TestTheFirstStrikeNeedsNoCrash(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	all := []Point{ChargeAsked, BegunAgain, Suspect}
	seen := map[bool]map[Point]int{false: {}, true: {}}
	for struck, points := range seen {
		for range 200 {
			point, n := draw(random, all, 40, struck)
			points[point]++
			if n < 1 || n > 40 {
				t.Fatalf("the %dth passing of %s by 40 jobs", n, point)
			}
		}
	}
	if first := seen[false]; first[ChargeAsked] != 200 {
		t.Errorf("before a strike: %v", first)
	}
	for _, p := range all {
		if seen[true][p] == 0 {
			t.Errorf("after one, never %s", p)
		}
	}
}
