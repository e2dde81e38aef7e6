package report

import (
	"fmt"
	"io"
	"strconv"
	"time"
)

// Markdown writes a report as tables, one a scenario.
func Markdown(w io.Writer, r Report) error {
	p := &printer{w: w}
	p.f("%s, %s, %d cores. Medians of %d runs, peers interleaved; %d jobs waiting before a drain, %d at rest.\n",
		r.Go, r.System, r.Cores, r.Settings.Runs, r.Settings.Backlog, r.Settings.Rest)
	p.f("Ratio: median of %s / median of the row. ↑ more is better, ↓ less is better. †: other processes used %.1f cores or more.\n\n",
		r.Base, r.Settings.QuietCores)
	for _, x := range r.Peers {
		note := ""
		if x.Reference {
			note = " (for information)"
		}
		p.f("- **%s**: %s%s. Durability: %s.\n", x.Name, x.About, note, x.Durability)
	}
	for _, s := range r.Sections {
		p.f("\n### %s\n%s. Fsync probe beside it: p50 %s, p99 %s, %.0f/s.\n\n", s.Name, s.What,
			short(s.Fsync.P50), short(s.Fsync.P99), s.Fsync.Ops)
		p.f("| figure | peer | median | min – max | ratio | workers | threads | foreign cores | durability |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n")
		for _, row := range s.Rows {
			p.row(row)
		}
	}
	return p.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) row(r Row) {
	arrow := "↓"
	if r.More {
		arrow = "↑"
	}
	name := r.Name
	if r.Unit != "1/s" {
		name += " " + r.Unit
	}
	if r.Error != "" {
		p.f("| %s %s | %s | failed: %s | | | | | | %s |\n", name, arrow, r.Peer, r.Error, r.Durability)
		return
	}
	ratio, workers, threads, mark := "", "", "", ""
	if r.Ratio != nil {
		ratio = number(*r.Ratio) + " ×"
	}
	if r.Workers > 0 {
		workers = strconv.Itoa(r.Workers)
	}
	if r.Threads > 0 {
		threads = strconv.Itoa(r.Threads)
	}
	if r.Disturbed {
		mark = "†"
	}
	p.f("| %s %s | %s | %s | %s – %s | %s | %s | %s | %.2f%s | %s |\n", name, arrow, r.Peer,
		number(r.Median), number(r.Min), number(r.Max), ratio, workers, threads, r.Foreign, mark, r.Durability)
}

// number shows three digits, and whole numbers from a hundred on.
func number(v float64) string {
	switch a := max(v, -v); {
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func short(d time.Duration) string { return number(float64(d)/float64(time.Millisecond)) + " ms" }
