package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
)

// lines is a log.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// all gives the lines with a message.
func (l *lines) all(message string) (found []map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for text := range strings.Lines(l.buf.String()) {
		var line map[string]any
		if json.Unmarshal([]byte(text), &line) == nil && line["msg"] == message {
			found = append(found, line)
		}
	}
	return found
}

func (l *lines) has(message string) bool { return len(l.all(message)) > 0 }
