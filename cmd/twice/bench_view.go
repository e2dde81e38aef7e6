package main

import (
	"runtime"
	"slices"
	"strconv"

	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/internal/open"
)

// benchView is what a bench has found, in JSON.
type benchView struct {
	Store      string          `json:"store"`
	Engine     string          `json:"engine"`
	Durability string          `json:"durability"`
	Go         string          `json:"go"`
	Platform   string          `json:"platform"`
	Cores      int             `json:"cores"`
	Settings   benchSettings   `json:"settings"`
	Scenarios  []benchScenario `json:"scenarios"`
	Stays      []benchStays    `json:"stays,omitempty"`
}

type benchSettings struct {
	Runs            int     `json:"runs"`
	DurationSeconds float64 `json:"duration_seconds"`
	Backlog         int     `json:"backlog"`
	Rest            int     `json:"rest"`
	Workers         int     `json:"workers"`
}

type benchScenario struct {
	Name    string        `json:"name"`
	What    string        `json:"what"`
	Fsync   *benchFsync   `json:"fsync,omitempty"` // of the same disk, beside the runs
	Figures []benchFigure `json:"figures"`
}

type benchFsync struct {
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	PerSecond float64 `json:"per_second"`
}

type benchFigure struct {
	loadtest.Figure
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
	Values []float64 `json:"values"`
}

// benchStays is what is left in a queue of a named store.
type benchStays struct {
	Queue   string `json:"queue"`
	Waiting int64  `json:"waiting"`
	Done    int64  `json:"done"`
}

func viewScenario(sc loadtest.Scenario, runs []loadtest.Values, probes []loadtest.Fsync) benchScenario {
	v := benchScenario{Name: sc.Name, What: sc.What}
	for _, f := range sc.Figures {
		var values []float64
		for _, r := range runs {
			values = append(values, r[f.Name])
		}
		v.Figures = append(v.Figures, benchFigure{f, loadtest.Median(values), slices.Min(values), slices.Max(values), values})
	}
	if len(probes) > 0 {
		p := loadtest.MedianFsync(probes)
		v.Fsync = &benchFsync{float64(p.P50) / 1e6, float64(p.P99) / 1e6, p.Ops}
	}
	return v
}

func (v *benchView) about(s *session, l *lab, stays []benchStays) {
	v.Store = "temporary files"
	if l.named != nil {
		v.Store = open.Redacted(s.url)
	}
	v.Engine, v.Durability, v.Stays = l.about.Name, l.about.Durability, stays
	v.Go, v.Platform, v.Cores = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU()
}

func (v *benchView) show(s *session) error {
	if s.json {
		return s.emit(v)
	}
	s.note("%s", s.faint("engine "+plain(v.Engine)+", "+plain(v.Store)+": "+plain(v.Durability)))
	t := newTable("SCENARIO", "FIGURE", ">MEDIAN", ">LEAST", ">MOST", ">FSYNC P50 MS", ">P99 MS")
	for _, sc := range v.Scenarios {
		name, p50, p99 := sc.Name, "", ""
		if sc.Fsync != nil {
			p50, p99 = figure(sc.Fsync.P50), figure(sc.Fsync.P99)
		}
		for _, f := range sc.Figures {
			unit := ""
			if f.Name != loadtest.PerSecond {
				unit = " (" + f.Unit + ")"
			}
			t.row(name, f.Name+unit, figure(f.Median), figure(f.Min), figure(f.Max), p50, p99)
			name, p50, p99 = " ", " ", " "
		}
	}
	if err := t.print(s); err != nil {
		return err
	}
	s.note("%s of each, %s, %s cores; jobs of 100 bytes that do nothing", many(v.Settings.Runs, "run", "runs"), v.Go, count(v.Cores))
	for _, q := range v.Stays {
		if q.Waiting > 0 {
			s.note("%s jobs still wait in %s: `twice queue purge %s` ends them", count(q.Waiting), q.Queue, q.Queue)
		}
		if q.Done > 0 {
			s.note("of %s jobs in %s the ids stay known for a while; then they are pruned", count(q.Done), q.Queue)
		}
	}
	return nil
}

// figure writes a number with three digits that count, or all before the point.
func figure(x float64) string {
	switch a := max(x, -x); {
	case a >= 1000:
		return count(int64(x))
	case a >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}
