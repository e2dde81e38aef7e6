package history

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What is left out changes no verdict: of sound histories and of forged ones, with requests repeated whose outcome
// nobody knows.
func TestEssentialChangesNoVerdict(t *testing.T) {
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		ops := drawn(t)
		for range rapid.IntRange(0, 4).Draw(t, "repeats") {
			op := rapid.SampledFrom(ops).Draw(t, "repeated")
			if op.Call == Claim {
				continue
			}
			shift := rapid.Int64Range(0, int64(time.Minute)).Draw(t, "later")
			op.Answer, op.Start, op.End, op.Status = Unknown, op.Start+shift, op.Start+shift, 0
			ops = append(ops, op)
		}
		if f := rapid.SampledFrom(forgeries).Draw(t, "forgery"); rapid.Bool().Draw(t, "forged") {
			for i := range ops {
				if f.is(ops[i]) {
					f.make(&ops[i], ops)
					break
				}
			}
		}
		w, jobs := split(ops, Config{}.complete())
		for id, all := range jobs {
			explained := func(ops []Op) bool {
				s := search{world: w, ops: ops, left: 1_000_000, seen: map[place]bool{}}
				return s.run() == nil
			}
			less := w.essential(all)
			left += len(all) - len(less)
			if explained(all) != explained(less) {
				t.Fatalf("job %s: %v, and of %v: %v", id, explained(all), less, explained(less))
			}
		}
	})
	if left == 0 {
		t.Error("nothing was left out: nothing was shown")
	}
}
