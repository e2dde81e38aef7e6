package dashboard

import (
	"strconv"
	"strings"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// finding is what is said of a queue, as a page shows it.
type finding struct {
	Queue    string
	Verdict  string
	Well     bool
	Says     string
	Change   string
	Do       string
	Runbook  string // its address; empty: there is none
	Also     []word
	Evidence []fact
	Over     string // the time that it looked at
	At       moment
	Backlog  int64
	Capacity []fact // what comes beside what can be done
}

// fact is one thing that is known, by its name.
type fact struct {
	Name    string
	Text    string
	Note    string
	Jobs    []string
	Workers []string
	Mono    bool // to be copied
	Bad     bool // somebody should look
}

// findings makes them of what the API answered. What it says may hold words of workers and of errors.
func findings(said httpapi.Verdicts, now time.Time, cfg Config) []finding {
	var all []finding
	for _, f := range said.Verdicts {
		one := finding{Queue: f.Queue, Verdict: string(f.Verdict), Well: f.Well, Says: visible(shorten(f.Says, 600)), Change: visible(shorten(f.Change, 600)), Do: visible(shorten(f.Do, 600)),
			At: momentOf(f.At, now, cfg.Zone)}
		if plainName(f.Runbook) {
			one.Runbook = cfg.Runbooks + f.Runbook + ".md"
		}
		for _, also := range f.Also {
			one.Also = append(one.Also, verdictWord(string(also)))
		}
		if f.Samples > 1 {
			one.Over = lasts(f.At.Sub(f.Since))
		}
		if c := f.Capacity; c != nil {
			one.Backlog = c.Backlog
			one.Capacity = []fact{{Name: "come in", Text: rate(c.Arrivals)}, {Name: "slots busy, on average", Text: trimmed(c.Busy) + " of " + counted(c.Slots)}}
			if c.Estimated { // what it would complete by the usual run tells nothing of what it does
				one.Capacity = append(one.Capacity, fact{Name: "completed", Text: "none", Note: "so neither the slots needed nor an end of the backlog can be told"})
			} else {
				one.Capacity = append(one.Capacity, fact{Name: "completed", Text: rate(c.Completions)}, fact{Name: "mean run", Text: lasts(c.MeanRun)},
					fact{Name: "slots needed", Text: counted(c.Needed), Note: "so that 80 % of them are busy"})
				if c.Drained.After(now) {
					one.Capacity = append(one.Capacity, fact{Name: "backlog gone", Text: ago(now.Sub(c.Drained))})
				}
				if c.DrainedBy.After(now) {
					one.Capacity = append(one.Capacity, fact{Name: "gone with the slots needed", Text: ago(now.Sub(c.DrainedBy))})
				}
			}
		}
		for _, e := range f.Evidence {
			x := fact{Name: visible(shorten(spaced(e.Name), 60)), Text: measured(e.Value, e.Unit), Note: visible(shorten(e.Text, 300)), Workers: e.Workers}
			if e.Text != "" && e.Value == 0 {
				x.Text = ""
			}
			for _, id := range e.Jobs {
				x.Jobs = append(x.Jobs, id.String())
			}
			one.Evidence = append(one.Evidence, x)
			if e.Name == "arrivals" { // it tells the same
				one.Capacity = nil
			}
		}
		all = append(all, one)
	}
	return all
}

// measured writes a number with its unit.
func measured(value float64, unit string) string {
	switch unit {
	case "s":
		return lasts(secs(value))
	case "/s":
		return rate(value)
	case "%":
		return trimmed(value) + " %"
	case "":
		return trimmed(value)
	}
	if value == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return trimmed(value) + " " + visible(shorten(unit, 20))
}

// trimmed writes a number without digits that nobody needs.
func trimmed(f float64) string {
	if f = max(-1e15, min(f, 1e15)); f == float64(int64(f)) || f >= 100 || f <= -100 {
		return counted(int64(f))
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
}

// plainName reports whether a name can be part of an address as it is.
func plainName(s string) bool {
	return s != "" && len(s) < 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}
