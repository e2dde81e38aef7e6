package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/twicehq/twice/internal/loadtest"
)

// report is what -json prints.
type report struct {
	Fsync loadtest.Fsync `json:"fsync"`
	Rows  []row          `json:"rows"`
}

type row struct {
	Operation string  `json:"operation"`
	Index     string  `json:"index"`
	Rest      int     `json:"rest"`
	Commit    int     `json:"rows_per_commit"`
	Median    float64 `json:"median_rows_per_second"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
}

func (b *bench) rows() report {
	r := report{Fsync: loadtest.MedianFsync(b.probes)}
	for _, k := range b.order {
		v := b.found[k]
		r.Rows = append(r.Rows, row{k.what, string(k.index), k.rest, k.commit, loadtest.Median(v), slices.Min(v), slices.Max(v)})
	}
	slices.SortStableFunc(r.Rows, func(a, b row) int {
		return slices.Index(operations, a.Operation) - slices.Index(operations, b.Operation)
	})
	return r
}

var operations = []string{"insert", "claim", "finish", "finish + claim"}

func (b *bench) markdown(w io.Writer) error {
	r := b.rows()
	out := fmt.Sprintf("SQLite (modernc), WAL, synchronous=FULL. Fsync probe: p50 %.3f ms, p99 %.3f ms, %.0f/s.\n\n",
		r.Fsync.P50.Seconds()*1000, r.Fsync.P99.Seconds()*1000, r.Fsync.Ops)
	out += "| operation | id index | at rest | rows a commit | rows/s | min – max |\n|---|---|--:|--:|--:|--:|\n"
	for _, x := range r.Rows {
		out += fmt.Sprintf("| %s | %s | %d | %d | %.0f | %.0f – %.0f |\n", x.Operation, x.Index, x.Rest, x.Commit, x.Median, x.Min, x.Max)
	}
	_, err := io.WriteString(w, out)
	return err
}
