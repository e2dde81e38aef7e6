package queuetest

import "testing"

// Every rule has a name of its own and says what it checks.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if r.Name == "" || r.Says == "" || r.Check == nil || seen[r.Name] {
			t.Errorf("rule %q: nameless, silent, empty, or twice there", r.Name)
		}
		seen[r.Name] = true
	}
	t.Logf("%d rules", len(seen))
}
