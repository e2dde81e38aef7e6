package redis

import (
	"testing"
)

func TestConstantsStandInTheScripts(t *testing.T) {
	all, text := constantsOf("local call = redis.call\nlocal ONE, TWO = 1, '>I2' -- of something\nlocal SUM = 2 * 3 -- why\nlocal f = q.ONE + ONE .. TWO\nlocal SUMS = SUM\nlocal own = SUMS\n")
	if len(all) != 4 || all["TWO"] != "('>I2')" {
		t.Error(all)
	}
	if want := "local call = redis.call\nlocal f = q.ONE + (1) .. ('>I2')\nlocal own = ((2 * 3))\n"; text != want {
		t.Errorf("got %q", text)
	}
}

// A name that were left would be nil for the script.
func TestNoConstantIsLeftInAScript(t *testing.T) {
	for _, name := range []string{"QUEUED", "STRIPPED", "HEAD", "STATE", "NOBODY", "AHEAD"} {
		if pieces.constants[name] == "" {
			t.Errorf("%s is no constant", name)
		}
	}
	for _, s := range []*script{laneScript, enqueueScript, claimScript, peekScript, extendScript, settleScript, operateScript, pruneScript, touchScript,
		markScript, pauseScript, scheduleScript, depthScript, healScript, countScript, forwardScript, renewScript} {
		for word := range words(s.text) {
			if name := s.text[word.from:word.to]; pieces.constants[name] != "" {
				t.Errorf("%s has %s", s.name, name)
			}
		}
	}
}
