package diagnose_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/diagnose"
)

var record = flag.Bool("record", false, "write the confusion matrix to docs/evidence/diagnosis.txt")

// seeds is how often each scene is played, each time with other numbers. More may be played to look for what is rare.
const seeds = 20

var plays = flag.Int("plays", seeds, "how often each scene is played")

const matrixFile = "../docs/evidence/diagnosis.txt"

// sure are the verdicts that must be right each time: who is on call acts on them at once.
var sure = []diagnose.Verdict{diagnose.BrokerDown, diagnose.NoData, diagnose.Paused, diagnose.NoConsumer, diagnose.ConsumerDead, diagnose.StuckHandler, diagnose.StuckDispatch}

// verdicts in the order in which they are tried.
var verdicts = []diagnose.Verdict{diagnose.BrokerDown, diagnose.NoData, diagnose.Paused, diagnose.NoConsumer, diagnose.ConsumerDead, diagnose.StuckHandler,
	diagnose.StuckDispatch, diagnose.CrashLoop, diagnose.Poison, diagnose.DependencyDown, diagnose.Throttled, diagnose.UnderProvisioned, diagnose.CatchingUp,
	diagnose.DeadLettersGrowing, diagnose.Healthy, diagnose.Idle, diagnose.Undetermined}

// outcome is what was said of one scene over all seeds.
type outcome struct {
	said    map[diagnose.Verdict]int // two windows after the onset; in a calm scene at each sample
	alarms  int                      // samples of a calm scene that were not well
	samples int

	confused int // samples of another scene at which a stuck consumer was taken for too few of them, or the reverse
}

// TestConfusionMatrix plays every scene with 20 seeds, on virtual time and with real workers. Each verdict from broker_down to
// stuck_dispatch must be right every time, the others 19 times of 20, two windows after the onset; and where
// nothing is the matter no sample may raise an alarm.
func TestConfusionMatrix(t *testing.T) {
	var mu sync.Mutex
	outcomes := make([]outcome, len(scenes))
	t.Run("scenes", func(t *testing.T) {
		for i, sc := range scenes {
			outcomes[i].said = map[diagnose.Verdict]int{}
			for seed := range uint64(*plays) {
				t.Run(fmt.Sprintf("%s/%d", sc.name, seed), func(t *testing.T) {
					t.Parallel()
					s := play(t, seed*1000+uint64(i), sc.play)
					mu.Lock()
					defer mu.Unlock()
					outcomes[i].add(t, sc, s.found)
				})
			}
		}
	})
	for i, sc := range scenes {
		right, need := outcomes[i].said[sc.want], (*plays*95+99)/100
		if slices.Contains(sure, sc.want) {
			need = *plays
		}
		switch {
		case sc.want != "" && right < need:
			t.Errorf("%s: %s in %d of %d", sc.name, sc.want, right, *plays)
		case outcomes[i].confused > 0:
			t.Errorf("%s: at %d samples stuck and too few were confused", sc.name, outcomes[i].confused)
		case outcomes[i].alarms > 0:
			t.Errorf("%s: %d false alarms in %d samples", sc.name, outcomes[i].alarms, outcomes[i].samples)
		}
	}
	var page bytes.Buffer
	write(&page, outcomes)
	if *record && *plays == seeds {
		if err := os.WriteFile(matrixFile, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if stored, err := os.ReadFile(matrixFile); err != nil || !claims(stored) {
		t.Errorf("%s does not claim what this test holds for: record it again (go test ./diagnose -run ConfusionMatrix -record): %v", matrixFile, err)
	}
}

func (o *outcome) add(t *testing.T, sc scene, found []diagnose.Finding) {
	if sc.want != "" {
		f := found[len(found)-1]
		o.said[f.Verdict]++
		o.confused += confusions(t, sc.want, found)
		if f.Verdict != sc.want {
			t.Logf("%s, want %s (also %v): %s", f.Verdict, sc.want, f.Also, f.Says)
		}
		return
	}
	for i, f := range found {
		o.samples++
		o.said[f.Verdict]++
		if !f.Well {
			o.alarms++
			t.Logf("a false alarm at sample %d: %s: %s", i, f.Verdict, f.Says)
		}
	}
}

// stuck are the verdicts under which more slots do not help; few those under which they do, or patience does.
var (
	stuck = []diagnose.Verdict{diagnose.NoConsumer, diagnose.ConsumerDead, diagnose.StuckHandler, diagnose.StuckDispatch}
	few   = []diagnose.Verdict{diagnose.UnderProvisioned, diagnose.CatchingUp}
)

// confusions counts the samples of a scene, from its start on, at which one was taken for the other.
func confusions(t *testing.T, want diagnose.Verdict, found []diagnose.Finding) (n int) {
	var never []diagnose.Verdict
	switch {
	case slices.Contains(stuck, want):
		never = []diagnose.Verdict{diagnose.UnderProvisioned}
	case slices.Contains(few, want):
		never = stuck
	}
	for i, f := range found {
		if slices.Contains(never, f.Verdict) || slices.ContainsFunc(f.Also, func(v diagnose.Verdict) bool { return slices.Contains(never, v) }) {
			n++
			t.Logf("confused at sample %d: %s, also %v: %s", i, f.Verdict, f.Also, f.Says)
		}
	}
	return n
}

func write(w *bytes.Buffer, outcomes []outcome) {
	fmt.Fprintf(w, `Confusion matrix of package diagnose.

Made by: go test ./diagnose -run TestConfusionMatrix -record
Each scene is played %d times with real workers on the memory engine, on virtual time. The seed draws the numbers of workers
and slots, the rate of arrivals, run times, and when it begins. A sample is taken every 6 s; a verdict looks at 10 of them.
Asked is the verdict two windows (120 s) after the onset. The test fails unless broker_down to stuck_dispatch are right
every time, the others in 95 %%, and the calm scenes raise no alarm at any sample. It fails, too, if at any sample a stuck
consumer (no_consumer to stuck_dispatch) is taken for too few of them, or too few for a stuck one.

`, seeds)
	fmt.Fprintf(w, "%-62s%-22s%-8s%s\n", "scene", "right verdict", "right", "said instead")
	for i, sc := range scenes {
		if sc.want == "" {
			continue
		}
		var wrong []string
		for _, v := range verdicts {
			if n := outcomes[i].said[v]; n > 0 && v != sc.want {
				wrong = append(wrong, fmt.Sprintf("%s %d", v, n))
			}
		}
		if wrong == nil {
			wrong = []string{"-"}
		}
		fmt.Fprintf(w, "%-62s%-22s%-8s%s\n", sc.name, sc.want, fmt.Sprintf("%d/%d", outcomes[i].said[sc.want], seeds), strings.Join(wrong, ", "))
	}
	fmt.Fprintf(w, "\n%-62s%-22s%s\n", "calm scene", "false alarms", "said")
	for i, sc := range scenes {
		if sc.want != "" {
			continue
		}
		var said []string
		for _, v := range verdicts {
			if outcomes[i].said[v] > 0 {
				said = append(said, string(v))
			}
		}
		fmt.Fprintf(w, "%-62s%-22d%s\n", sc.name, outcomes[i].alarms, strings.Join(said, ", "))
	}
}

// claims reports whether a recorded page tells of these very scenes, and that all went as it must. Its figures need not be those
// of this run: backoff and pauses of a worker are drawn anew each time.
func claims(page []byte) bool {
	lines := map[string]string{}
	for line := range strings.Lines(string(page)) {
		for _, sc := range scenes {
			if rest, ok := strings.CutPrefix(line, sc.name+"  "); ok {
				lines[sc.name] = rest
			}
		}
	}
	for _, sc := range scenes {
		fields := strings.Fields(lines[sc.name])
		if sc.want == "" {
			if len(fields) < 2 || fields[0] != "0" {
				return false
			}
			continue
		}
		var right, of int
		if len(fields) < 3 || fields[0] != string(sc.want) {
			return false
		}
		if _, err := fmt.Sscanf(fields[1], "%d/%d", &right, &of); err != nil || of != seeds || 100*right < 95*of || slices.Contains(sure, sc.want) && right < of {
			return false
		}
	}
	return true
}
