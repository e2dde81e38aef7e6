package prove

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/proof/campaign"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"count": grouped, "class": class, "seen": seen, "upto": upto,
	"took": func(s float64) string { return fmt.Sprintf("%.1f s", s) },
	"time": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
}).Parse(pageText))

// WriteHTML writes a report as one page that needs nothing else: no script, no font, no picture from elsewhere.
func WriteHTML(w io.Writer, r Report) error {
	return page.Execute(w, struct {
		Report
		Spaces []space
		Struck []bar
	}{r, spacesOf(r), struckOf(r)})
}

// space is what was explored of one handler: points of a clean run by sorts of schedule.
type space struct {
	Name    string
	Control bool
	Points  []string
	Rows    []spaceRow
	Failure *proof.Failure
	proof.Report
}

type spaceRow struct {
	proof.SortReport
	Cells []bool // by point: was a schedule of the sort there?
}

func spacesOf(r Report) (all []space) {
	for _, part := range r.Parts {
		for _, s := range part.Spaces {
			if s.Proof == nil {
				continue
			}
			one := space{Name: s.Name, Control: part.Control, Points: s.Proof.Places, Failure: s.Proof.Failure, Report: *s.Proof}
			for _, sort := range s.Proof.Sorts {
				row := spaceRow{SortReport: sort, Cells: make([]bool, len(s.Proof.Places))}
				for i := range row.Cells {
					row.Cells[i] = i < sort.Points
				}
				one.Rows = append(one.Rows, row)
			}
			all = append(all, one)
		}
	}
	return all
}

// bar is how often attacks struck at a point of a job's life.
type bar struct {
	Point   campaign.Point
	N       int
	Percent int
}

// inOrder are the points as a job passes them.
var inOrder = []campaign.Point{campaign.Begun, campaign.BegunAgain, campaign.Suspect, campaign.RowMade, campaign.ChargeAsked, campaign.ChargeMade,
	campaign.MailAsked, campaign.MailMade, campaign.Looked, campaign.Returned, campaign.Idle}

func struckOf(r Report) (bars []bar) {
	sum, most := map[campaign.Point]int{}, 1
	for _, part := range r.Parts {
		for point, n := range part.Struck {
			sum[point] += n
			most = max(most, sum[point])
		}
	}
	for _, point := range inOrder {
		if n := sum[point]; n > 0 {
			bars = append(bars, bar{point, n, 100 * n / most})
		}
	}
	return bars
}

func class(v Verdict) string {
	switch v {
	case Held, Caught:
		return "good"
	case LeftOut, OutOfTime:
		return "none"
	}
	return "bad"
}

// seen says figures in words, but for those that are 0.
func seen(f Figures) string {
	var all []string
	for _, one := range f.List() {
		if one.N > 0 {
			all = append(all, grouped(one.N)+" "+one.Name)
		}
	}
	return strings.Join(all, " · ")
}

// grouped writes a number with commas.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	var parts []string
	for len(digits) > 3 {
		parts = append(parts, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	parts = append(parts, digits)
	slices.Reverse(parts)
	return strings.Join(parts, ",")
}

// upto gives the numbers from 1 to n.
func upto(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
