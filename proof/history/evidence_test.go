package history

import (
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/queue"
)

// notes are the figures of a run, for the evidence.
type notes struct {
	mu    sync.Mutex
	lines []string
}

var figures notes

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// main runs the tests, and writes the figures of a run that passed. They differ from run to run, so nothing compares them.
func main(m *testing.M) int {
	flag.Parse()
	code := m.Run()
	if *record && code == 0 {
		text := "Recorded by: go test ./proof/history -record (with CI=true it fails where an engine is not there)\n\n" + strings.Join(figures.lines, "\n") + "\n"
		if err := os.WriteFile("../../docs/evidence/histories.txt", []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	return code
}

// counts says what happened in a history, by call; and how many leases were lost with no word, and how many callers
// were told that theirs is lost.
func counts(ops []Op) map[Call]int {
	n := map[Call]int{}
	crashes := map[queue.ID]int{}
	for _, op := range ops {
		n[op.Call]++
		if op.Answer == LeaseLost {
			n["lost"]++
		}
		if op.Call == Claim && op.Counts.Crashes > crashes[op.Job] {
			n["replaced"]++
		}
		crashes[op.Job] = op.Counts.Crashes
	}
	return n
}

// keep leaves a refused history for a person to read.
func keep(t *testing.T, ops []Op) {
	f, err := os.CreateTemp("", "history-*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Write(f, ops); err != nil {
		t.Fatal(err)
	}
	t.Log("the history is in", f.Name())
}
