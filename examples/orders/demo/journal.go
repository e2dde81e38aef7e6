package demo

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
)

// journal is the log of a process, over all its lives: a file of JSON lines.
type journal struct{ path string }

// line is what the demo reads of a line.
type line struct {
	Message string `json:"msg"`
	PID     int    `json:"pid"`
	API     string `json:"api"`
	Admin   string `json:"admin"`
	Livez   string `json:"livez"`
	Job     string `json:"job_id"`
	Kind    string `json:"kind"`
	Attempt int64  `json:"attempt"`
	Outcome string `json:"outcome"`
	Worker  string `json:"worker"`
	Error   string `json:"error"`
	Text    string `json:"-"` // as it is written
}

// mark is the journal's end by now: what is written later follows it.
func (j *journal) mark() int64 {
	info, err := os.Stat(j.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// since gives the whole lines after a mark. Lines that are not JSON are none of the program's own, and left out.
func (j *journal) since(mark int64) ([]line, error) {
	f, err := os.Open(j.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.NewSectionReader(f, mark, 1<<40))
	if err != nil {
		return nil, err
	}
	var all []line
	for raw := range strings.Lines(string(text)) {
		var l line
		if strings.HasSuffix(raw, "\n") && json.Unmarshal([]byte(raw), &l) == nil {
			l.Text = strings.TrimSpace(raw)
			all = append(all, l)
		}
	}
	return all, nil
}

// last gives the end of what is written, for people.
func (j *journal) last() string {
	text, err := os.ReadFile(j.path)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-300):]))
}

// await waits for a line after the mark.
func (j *journal) await(ctx context.Context, mark int64, what string, is func(line) bool) (found line, err error) {
	err = until(ctx, what, func() (bool, error) {
		all, err := j.since(mark)
		for _, l := range all {
			if is(l) {
				found = l
				return true, nil
			}
		}
		return false, err
	})
	return found, err
}

// count counts the lines after the mark.
func (j *journal) count(mark int64, is func(line) bool) (n int, err error) {
	all, err := j.since(mark)
	for _, l := range all {
		if is(l) {
			n++
		}
	}
	return n, err
}
