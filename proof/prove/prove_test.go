package prove_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
	"github.com/twicehq/twice/proof/prove"
	"github.com/twicehq/twice/queue"
)

// TestMain is also the program of every worker process.
func TestMain(m *testing.M) {
	campaign.Main(ground.Openers)
	os.Exit(m.Run())
}

// All that needs no application: F1 and C6 are in the tests of cmd/twice.
func without(ids ...string) (all []string) {
	for _, p := range prove.Parts() {
		if !strings.Contains(" "+strings.Join(ids, " ")+" ", " "+p.ID+" ") {
			all = append(all, p.ID)
		}
	}
	return all
}

func proved(t *testing.T, url string, only ...string) prove.Report {
	t.Helper()
	g, err := ground.On(url)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano()) % 1e9
	report, err := prove.Run(t.Context(), prove.Config{Ground: g, Time: 2 * time.Minute, Once: true, Seed: seed, Only: only, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Parts {
		t.Logf("%-4s %-8s %5.1fs %+v %v %s", p.ID, p.Verdict, p.Seconds, p.Figures, p.Notes, p.Why)
		if p.Verdict == prove.Broken || p.Verdict == prove.Missed || p.Verdict == prove.Failed {
			t.Errorf("%s, %s: %s: %s %q", p.ID, p.Title, p.Verdict, p.Why, p.Broken)
		}
	}
	if !report.Complete || report.Totals.Lost+report.Totals.Unexpected+report.Totals.Twice > 0 || report.Totals.StartedTwice == 0 {
		t.Errorf("seed %d: %+v", seed, report.Totals)
	}
	return report
}

func TestOnSQLite(t *testing.T) {
	if r := proved(t, "sqlite:", without("F1", "C6")...); !r.Holds {
		t.Error("it does not hold")
	}
}

func TestOnRedis(t *testing.T) {
	redistest.Need(t)
	if r := proved(t, "redis:", without("F1", "C6")...); !r.Holds || r.Totals.Outages == 0 || r.Totals.Unanswered == 0 {
		t.Error("it does not hold, or nothing of the server was attacked")
	}
}

// A server that is named by its address is used as it is, and left as it was.
func TestOnAServerOfSomebodyElses(t *testing.T) {
	s := redistest.Start(t, redistest.Options{})
	s.Must("SET", "theirs", "1")
	r := proved(t, s.URL(), "F2", "F4", "F7", "F13")
	if !r.Holds || r.Parts[1].Verdict != prove.LeftOut || !strings.Contains(r.Parts[1].Why, "not ours") {
		t.Errorf("%+v", r.Parts[1])
	}
	if keys := s.Must("DBSIZE"); keys != "1" {
		t.Errorf("%s keys are left, of which one was there before", keys)
	}
}

// Where the time is up, what was not begun is said so, and the report is not complete.
func TestOutOfTime(t *testing.T) {
	g, err := ground.On("sqlite:")
	if err != nil {
		t.Fatal(err)
	}
	r, err := prove.Run(t.Context(), prove.Config{Ground: g, Time: time.Nanosecond, Dir: t.TempDir(), Only: []string{"F7", "F13", "F14"}})
	if err != nil || r.Complete || r.Parts[0].Verdict != prove.LeftOut || r.Parts[1].Verdict != prove.OutOfTime || r.Parts[1].Rounds != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestMisuse(t *testing.T) {
	if _, err := ground.On("memory:"); !errors.Is(err, queue.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := ground.On("sqlite:" + t.TempDir() + "/none/at/all.db"); !errors.Is(err, queue.ErrUnavailable) {
		t.Error(err)
	}
	g, _ := ground.On("sqlite:")
	if _, err := prove.Run(t.Context(), prove.Config{Ground: g, Time: time.Second, Dir: t.TempDir(), Only: []string{"F99"}}); err == nil {
		t.Error("a part that there is not was taken")
	}
	if _, err := prove.Run(t.Context(), prove.Config{}); err == nil {
		t.Error("no ground was taken")
	}
}
