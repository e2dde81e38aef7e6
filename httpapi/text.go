package httpapi

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// cut gives at most n bytes of a text, as valid UTF-8.
func cut(s string, n int) string {
	if len(s) > n {
		s = s[:n]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		if len(s) > 0 && s[len(s)-1] >= utf8.RuneSelf {
			s = s[:len(s)-1]
		}
		s += "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// exact gives a text that may be any bytes as well as a JSON string can hold it and, where that loses any of it,
// the bytes themselves.
func exact(b []byte) (text string, whole []byte) {
	if utf8.Valid(b) {
		return string(b), nil
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), b
}

// whole is exact, back again.
func whole(text string, bytes []byte) []byte {
	if bytes != nil {
		return bytes
	}
	return []byte(text)
}

// sane gives a time that JSON can hold; zero where somebody announced nonsense.
func sane(t time.Time) time.Time {
	if y := t.UTC().Year(); y < 1 || y > 9998 {
		return time.Time{}
	}
	return t.UTC()
}

// finite gives a number that JSON can hold.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
