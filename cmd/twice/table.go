package main

import (
	"strings"
	"unicode/utf8"
)

// table is rows of columns that line up. Its texts must be plain. Colours do not count as width, which is
// why this is not text/tabwriter.
type table struct {
	heads []string
	right []bool
	rows  [][]cell
}

type cell struct{ text, ink string }

// newTable names the columns; one whose name begins with > is of numbers and lines up at the right.
func newTable(heads ...string) *table {
	t := &table{}
	for _, h := range heads {
		name, right := strings.CutPrefix(h, ">")
		t.heads, t.right = append(t.heads, name), append(t.right, right)
	}
	return t
}

// row adds a row: strings or cells. An empty text is shown as "-".
func (t *table) row(columns ...any) {
	row := make([]cell, len(columns))
	for i, c := range columns {
		switch c := c.(type) {
		case cell:
			row[i] = c
		case string:
			row[i] = cell{text: c}
		case int64:
			row[i] = cell{text: count(c)}
		case int:
			row[i] = cell{text: count(c)}
		}
		if row[i].text == "" {
			row[i] = cell{text: "-"}
		}
	}
	t.rows = append(t.rows, row)
}

func (t *table) print(s *session) error {
	widths := make([]int, len(t.heads))
	for i, h := range t.heads {
		widths[i] = utf8.RuneCountInString(h)
	}
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	var b strings.Builder
	line := func(row []cell) {
		for i, c := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text))
			if i > 0 {
				b.WriteString("  ")
			}
			switch text := s.paint(c.ink, c.text); {
			case t.right[i]:
				b.WriteString(gap + text)
			case i == len(row)-1:
				b.WriteString(text)
			default:
				b.WriteString(text + gap)
			}
		}
		b.WriteByte('\n')
	}
	heads := make([]cell, len(t.heads))
	for i, h := range t.heads {
		heads[i] = cell{h, bold}
	}
	line(heads)
	for _, row := range t.rows {
		line(row)
	}
	return s.write(s.Stdout, []byte(b.String()))
}
