package main

import (
	"io"
	"maps"
	"slices"
)

// key is one press.
type key uint8

const (
	keyNone key = iota
	keyUp
	keyDown
	keyPageUp
	keyPageDown
	keyEnter
	keyBack
	keyQuit
)

// readKeys gives what is pressed, until the input ends.
func readKeys(from io.Reader) <-chan key {
	keys := make(chan key)
	go func() {
		defer close(keys)
		b := make([]byte, 64)
		for {
			n, err := from.Read(b)
			for rest := b[:n]; len(rest) > 0; {
				var k key
				if k, rest = nextKey(rest); k != keyNone {
					keys <- k
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return keys
}

// nextKey reads one press, as terminals write it.
func nextKey(b []byte) (key, []byte) {
	for text, k := range map[string]key{"\x1b[A": keyUp, "\x1b[B": keyDown, "\x1b[5~": keyPageUp, "\x1b[6~": keyPageDown, "\x1b[C": keyEnter, "\x1b[D": keyBack,
		"\x1bOA": keyUp, "\x1bOB": keyDown, "\x1bOC": keyEnter, "\x1bOD": keyBack} {
		if len(b) >= len(text) && string(b[:len(text)]) == text {
			return k, b[len(text):]
		}
	}
	switch b[0] {
	case 'k':
		return keyUp, b[1:]
	case 'j':
		return keyDown, b[1:]
	case ' ':
		return keyPageDown, b[1:]
	case '\r', '\n', 'l':
		return keyEnter, b[1:]
	case 0x7f, 'h':
		return keyBack, b[1:]
	case 'q', 0x03, 0x04: // and Ctrl-C, Ctrl-D
		return keyQuit, b[1:]
	case 0x1b:
		if len(b) == 1 {
			return keyBack, nil
		}
		for i, c := range b[1:] { // a sequence of no meaning here
			if c >= '@' && c <= '~' && c != '[' && c != 'O' {
				return keyNone, b[i+2:]
			}
		}
		return keyNone, nil
	}
	return keyNone, b[1:]
}

// press does what a key means, and reports whether there is something else to look at.
func (t *top) press(k key) bool {
	at := &t.way[len(t.way)-1]
	lines := slices.Sorted(maps.Keys(t.shown.rows))
	page := max(1, t.room()-2)
	switch k {
	case keyUp:
		at.move(-1, lines)
	case keyDown:
		at.move(1, lines)
	case keyPageUp:
		at.move(-page, lines)
	case keyPageDown:
		at.move(page, lines)
	case keyEnter:
		if at.chosen < len(lines) && t.shown.at == at.name() {
			t.way = append(t.way, t.shown.rows[lines[at.chosen]])
			t.shown = screen{at: t.way[len(t.way)-1].name()}
			return true
		}
	case keyBack:
		if len(t.way) > 1 {
			t.way = t.way[:len(t.way)-1]
			t.shown = screen{at: t.way[len(t.way)-1].name()}
			return true
		}
	}
	return false
}

// move goes n rows down where there are rows to choose from, and scrolls where there are none.
func (p *place) move(n int, lines []int) {
	if len(lines) == 0 {
		p.scroll = max(0, p.scroll+n)
		return
	}
	p.chosen = min(max(0, p.chosen+n), len(lines)-1)
}
