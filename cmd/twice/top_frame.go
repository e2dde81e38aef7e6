package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// room is how many lines there are between head and foot.
func (t *top) room() int { return max(1, t.height-3) }

// frame draws all of the terminal. Every line is cut to its width, so that none runs into the next.
func (t *top) frame() string {
	at := &t.way[len(t.way)-1]
	lines := slices.Sorted(maps.Keys(t.shown.rows))
	chosen := -1
	if len(lines) > 0 {
		at.chosen = min(at.chosen, len(lines)-1)
		chosen = lines[at.chosen]
		at.scroll = min(max(at.scroll, chosen-t.room()+1), max(0, chosen-1)) // with the line above it
		if chosen < t.room() {
			at.scroll = 0
		}
	}
	at.scroll = min(at.scroll, max(0, len(t.shown.lines)-t.room()))
	var b strings.Builder
	b.WriteString("\x1b[H")
	put := func(text string) { b.WriteString(cutVisible(text, t.width) + "\x1b[0m\x1b[K\r\n") }
	head := "twice top"
	if t.shown.title != "" {
		head = fmt.Sprintf("twice top · %s · %s · %s", t.shown.title, plain(t.engine.Traits().Name), t.shown.when.In(t.s.Zone).Format("15:04:05"))
	}
	put("\x1b[1m" + head)
	put("")
	for i := range t.room() {
		n := at.scroll + i
		switch {
		case n >= len(t.shown.lines) && i == 0 && len(t.shown.lines) == 0:
			put("looking …")
		case n >= len(t.shown.lines):
			put("")
		case n == chosen:
			line := uncoloured(t.shown.lines[n])
			put("\x1b[7m" + line + strings.Repeat(" ", max(0, t.width-visible(line))))
		default:
			put(t.shown.lines[n])
		}
	}
	keys := "↑↓ choose  ⏎ look into  esc back  q end"
	if len(lines) == 0 {
		keys = "↑↓ scroll  esc back  q end"
	}
	b.WriteString("\x1b[2m" + cutVisible(keys, t.width) + "\x1b[0m\x1b[K\x1b[J")
	return b.String()
}

// cutVisible cuts a text to so many characters that show; colours stay whole.
func cutVisible(text string, width int) string {
	var b strings.Builder
	n, hidden := 0, false
	for _, r := range text {
		switch {
		case r == '\x1b':
			hidden = true
		case hidden:
			hidden = r != 'm'
			b.WriteRune(r)
			continue
		default:
			if n++; n > width {
				continue
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// uncoloured leaves the colours out.
func uncoloured(text string) string {
	var b strings.Builder
	hidden := false
	for _, r := range text {
		switch {
		case r == '\x1b':
			hidden = true
		case !hidden:
			b.WriteRune(r)
		case r == 'm':
			hidden = false
		}
	}
	return b.String()
}
