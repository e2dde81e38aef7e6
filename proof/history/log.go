package history

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A log is the history of a process that may be killed: each call is a line before it is made, and another after it was
// answered. What was written before the kill is with the operating system, and stays. A call of which the log has no
// end has an unknown outcome.

// entry is a line of a log: of a call that is about to be made, where it has a start, or of one that was answered.
type entry struct {
	N      int    `json:"n"`
	Client string `json:"client,omitzero"`
	Start  int64  `json:"start,omitzero"`
	End    int64  `json:"end,omitzero"`
	Ops    []Op   `json:"ops,omitzero"`
}

// NewLog gives a recorder that keeps nothing in memory and writes to w, a line a write. now is a [Clock] that all
// recorders of one history share. What cannot be written is told to failed, before the call is made: a history
// with a gap would refuse what is sound, so the process should end there.
func NewLog(w io.Writer, now func() time.Time, failed func(error)) *Recorder {
	return &Recorder{now: now, log: func(e entry) {
		line, err := json.Marshal(e)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		if err != nil {
			failed(fmt.Errorf("history: %w", err))
		}
	}}
}

// ReadLog gives the operations of one log, and how many calls have no end there. A last line that was cut by the end of
// its process is none: that call was not made, or its answer was told to nobody.
func ReadLog(r io.Reader) (ops []Op, cut int, err error) {
	under := map[int]entry{}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, 0, fmt.Errorf("line %d of a log: %w", n, err)
		}
		begun, known := under[e.N]
		switch {
		case e.Start != 0 && !known:
			under[e.N] = e
			continue
		case e.Start != 0 || !known:
			return nil, 0, fmt.Errorf("line %d of a log: call %d begins twice, or ends before it began", n, e.N)
		}
		delete(under, e.N)
		begun.End, begun.Ops = e.End, e.Ops
		ops = append(ops, begun.operations()...)
	}
	for _, e := range under {
		e.End = e.Start // of no meaning: it may have been carried out at any later time
		ops = append(ops, e.operations()...)
	}
	return ops, len(under), nil
}

func (e entry) operations() []Op {
	for i := range e.Ops {
		op := &e.Ops[i]
		op.N, op.Client, op.Start, op.End = e.N, e.Client, e.Start, e.End
	}
	return e.Ops
}

// Merge makes one history of several that were recorded by one [Clock].
func Merge(histories ...[]Op) []Op {
	type from struct {
		Op
		source int
	}
	var all []from
	for i, ops := range histories {
		for _, op := range ops {
			all = append(all, from{op, i})
		}
	}
	slices.SortStableFunc(all, func(a, b from) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.source, b.source), cmp.Compare(a.N, b.N))
	})
	merged := make([]Op, len(all))
	n := 0
	for i, f := range all {
		if i == 0 || all[i-1].source != f.source || all[i-1].N != f.N {
			n++
		}
		merged[i] = f.Op
		merged[i].N = n
	}
	return merged
}

// ReadFolder merges all logs of a folder; it gives how many there were, and how many calls have no end.
func ReadFolder(dir string) (ops []Op, logs, cut int, err error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, 0, err
	}
	var all [][]Op
	for _, name := range names {
		ops, n, err := readFile(filepath.Join(dir, name.Name()))
		if err != nil {
			return nil, 0, 0, fmt.Errorf("%s: %w", name.Name(), err)
		}
		all = append(all, ops)
		cut += n
	}
	return Merge(all...), len(all), cut, nil
}

func readFile(path string) ([]Op, int, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	return ReadLog(file)
}
