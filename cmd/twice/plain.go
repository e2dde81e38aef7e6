package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// plain makes a text of anybody safe to show on one line of a terminal: what is no printable character,
// and so every control character, escape sequence and change of direction, is written as \x1b or \u202e.
func plain(s string) string {
	if !strings.ContainsFunc(s, unprintable) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if unprintable(r) || r == utf8.RuneError && n == 1 {
			q := strconv.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// named is plain for keys and the like, where one must be told from another: quoted where it holds
// anything that could be taken for something else.
func named(s string) string {
	if s == "" || strings.ContainsAny(s, "\\\"") || strings.ContainsFunc(s, unprintable) || !utf8.ValidString(s) || strings.TrimSpace(s) != s {
		return strconv.Quote(s)
	}
	return s
}

// clip cuts a text to n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// firstLine gives the first line of a text that says anything.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// lines is plain for a text of several lines, such as a stack: no more than limit lines and of each no
// more than 200 characters.
func lines(s string, limit int) []string {
	var out []string
	for line := range strings.Lines(s) {
		if len(out) == limit {
			return append(out, fmt.Sprintf("… (%d bytes in all; --json has them)", len(s)))
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		out = append(out, clip(plain(line), 200))
	}
	return out
}

// content shows a payload or a result: as it is where that can be read, else as a quoted text.
func content(b []byte) string {
	switch {
	case b == nil:
		return "-"
	case len(b) == 0:
		return "(0 bytes)"
	}
	text := string(b)
	if strings.ContainsFunc(text, unprintable) || !utf8.ValidString(text) {
		text = strconv.Quote(text)
	}
	if utf8.RuneCountInString(text) > 400 {
		return clip(text, 400) + fmt.Sprintf(" (%s bytes in all; --json has them)", count(len(b)))
	}
	return text
}

// exact gives bytes as a JSON string can hold them; where that loses any, it gives the bytes as well.
func exact(b []byte) (text string, whole []byte) {
	if utf8.Valid(b) {
		return string(b), nil
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), b
}

// harmlessJSON writes the characters that encoding/json leaves in strings and terminals may obey as \u
// escapes: DEL, the C1 controls, and those that change direction or cannot be seen.
func harmlessJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, strange) {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for _, r := range string(b) {
		switch high, low := utf16.EncodeRune(r); {
		case !strange(r):
			out = utf8.AppendRune(out, r)
		case r <= 0xffff:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
	}
	return out
}

func strange(r rune) bool {
	return r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r))
}

// count writes a number with commas.
func count[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// many writes a number of things: "1 job", "2 jobs".
func many(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + several
}
