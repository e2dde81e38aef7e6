package main

import (
	"strings"
	"unicode/utf8"
)

// folded breaks a text into lines of at most width characters, between words. Lead stands before the first line, and as much
// room before the others. The text is made plain; lead must be.
func folded(lead, text string, width int) []string {
	indent := strings.Repeat(" ", visible(lead))
	var lines []string
	line, empty := lead, true
	for _, word := range strings.Fields(plain(text)) {
		if !empty && visible(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	return append(lines, line)
}

// visible is how many characters of a text show: colours do not.
func visible(text string) int {
	n, hidden := 0, false
	for _, r := range text {
		switch {
		case r == '\x1b':
			hidden = true
		case !hidden:
			n++
		case r == 'm':
			hidden = false
		}
	}
	return n
}
