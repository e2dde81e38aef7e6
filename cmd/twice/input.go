package main

import (
	"fmt"
	"io"
	"os"

	"github.com/twicehq/twice/queue"
)

// limit bounds what a flag may give.
type limit struct {
	bytes  int
	room   int // bytes that are read: more than bytes where what is read is written shorter
	remedy string
}

// input reads what a flag gives: the text itself, @FILE, or - for stdin. what names it.
func (s *session) input(op, what, text string, l limit) ([]byte, error) {
	var from io.Reader
	switch {
	case text == "-":
		from = s.Stdin
	case len(text) > 1 && text[0] == '@':
		f, err := os.Open(text[1:])
		if err != nil {
			return nil, &queue.Error{Op: op, Subject: what + " " + text, Reason: queue.ErrInvalid, Detail: "the file cannot be read", Cause: err, Remedy: "name a file that you may read"}
		}
		defer f.Close()
		from = f
	default:
		return []byte(text), nil
	}
	b, err := io.ReadAll(io.LimitReader(from, int64(l.room)+1))
	switch {
	case err != nil:
		return nil, &queue.Error{Op: op, Subject: what + " " + text, Reason: queue.ErrInvalid, Detail: "it cannot be read", Cause: err, Remedy: "name a file that you may read"}
	case len(b) > l.room:
		return nil, l.exceeded(op, what, "more than "+count(l.room))
	}
	return b, nil
}

// fits fails where b is larger than it may be.
func (l limit) fits(op, what string, b []byte) error {
	if len(b) <= l.bytes {
		return nil
	}
	return l.exceeded(op, what, count(len(b)))
}

func (l limit) exceeded(op, what, size string) error {
	return &queue.Error{Op: op, Reason: queue.ErrTooLarge, Detail: fmt.Sprintf("its %s has %s bytes, the limit is %s", what, size, count(l.bytes)), Remedy: l.remedy}
}
