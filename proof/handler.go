package proof

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// ReplayEnv names the environment variable from which Handler reads the one schedule to run.
const ReplayEnv = "TWICE_PROOF_REPLAY"

// Handler proves, as a test, that a handler is safe to run twice, or fails with the shortest schedule that breaks it,
// step by step, and how to replay it. What it explored it logs (go test -v). It fails, too, where a limit that was not set
// cut it short: a test that passes has explored everything, or what it was told to.
func Handler[T, W any](t testing.TB, c Case[T, W]) {
	t.Helper()
	if text := os.Getenv(ReplayEnv); text != "" {
		c.Replay = text
	}
	report, err := Run(c)
	if err != nil {
		t.Fatal(err)
	}
	tell(t, report)
}

// tell tells the test how it went.
func tell(t testing.TB, report Report) {
	t.Helper()
	switch {
	case report.Failure != nil:
		report.Failure.again = again(t.Name(), report.Failure.Schedule)
		t.Error(report)
	case report.unmeant:
		t.Errorf("%sNot everything was explored. Raise the limit (Case.Limits), or set it, to accept that.", report)
	default:
		t.Log(report)
	}
}

// again is the command that replays a schedule of a test.
func again(test, schedule string) string {
	names := strings.Split(test, "/")
	for i, name := range names {
		names[i] = "^" + name + "$"
	}
	return fmt.Sprintf("%s='%s' go test -run '%s' .", ReplayEnv, schedule, strings.Join(names, "/"))
}
