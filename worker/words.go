package worker

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/twicehq/twice/queue"
)

// What a suspect's process says on its standard output, each on a line with its lease's id.
const (
	wordBegun   = "twice: lone run begun"
	wordSettled = "twice: lone run settled"
)

func word(text string, lease queue.LeaseID) string { return fmt.Sprintf("%s %s", text, lease) }

// wordReader takes a child's output: its words for itself, the rest passed on.
type wordReader struct {
	lease queue.LeaseID
	rest  io.Writer

	mu             sync.Mutex
	line           []byte
	begun, settled bool
}

// maxLine bounds what is kept of a line that does not end; a longer one holds no word.
const maxLine = 4 << 10

// Write implements [io.Writer]. What cannot be passed on is dropped: the child must not fail for it.
func (w *wordReader) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = append(w.line, p...)
	for {
		i := bytes.IndexByte(w.line, '\n')
		if i < 0 {
			break
		}
		w.take(w.line[:i+1])
		w.line = w.line[i+1:]
	}
	if len(w.line) > maxLine {
		_, _ = w.rest.Write(w.line)
		w.line = nil
	}
	return len(p), nil
}

// take looks at the end of a line: what the handler printed before, without ending its line, is passed on.
func (w *wordReader) take(line []byte) {
	text := strings.TrimRight(string(line), "\r\n")
	for _, say := range []struct {
		word string
		said *bool
	}{{word(wordBegun, w.lease), &w.begun}, {word(wordSettled, w.lease), &w.settled}} {
		if before, ok := strings.CutSuffix(text, say.word); ok {
			*say.said = true
			_, _ = io.WriteString(w.rest, before)
			return
		}
	}
	_, _ = w.rest.Write(line)
}

func (w *wordReader) heard() (begun, settled bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begun, w.settled
}
