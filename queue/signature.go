package queue

import (
	"strings"
	"unicode/utf8"
)

// MaxSignature is the most bytes that a signature has.
const MaxSignature = 120

// Signature makes one text of all errors that differ only in what they are about: the first line of err, with
// numbers, durations, addresses, hex, UUIDs and mixed ids as #, quoted parts as "…", spaces and control
// characters as one space, cut at MaxSignature bytes. It is never empty and valid UTF-8, whatever err is. It is pure, and takes time
// for the first KiB at most.
func Signature(err string) string {
	err = strings.TrimLeft(err[:min(len(err), 1<<10)], " \t\r\n")
	if i := strings.IndexAny(err, "\r\n"); i >= 0 {
		err = err[:i]
	}
	s := scan{text: strings.ToValidUTF8(err, "\uFFFD")}
	for s.at < len(s.text) && len(s.out) <= MaxSignature+utf8.UTFMax {
		s.step()
	}
	out := strings.TrimRight(short(string(s.out), MaxSignature), " ")
	if out == "" {
		return "(no text)"
	}
	return out
}

// short cuts text at n bytes, between characters.
func short(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// scan is one pass over a text.
type scan struct {
	text string
	at   int
	out  []byte
}

func (s *scan) step() {
	c := s.text[s.at]
	switch {
	case c <= ' ' || c == 0x7f:
		s.at++
		if n := len(s.out); n > 0 && s.out[n-1] != ' ' {
			s.out = append(s.out, ' ')
		}
	case c == '"' || c == '`' || c == '\'':
		s.quoted(c)
	case isWord(c):
		s.word()
	default:
		_, n := utf8.DecodeRuneInString(s.text[s.at:])
		s.out = append(s.out, s.text[s.at:s.at+n]...)
		s.at += n
	}
}

// quoted takes a quoted part. An apostrophe within a word quotes nothing, and neither does a mark without its fellow.
func (s *scan) quoted(mark byte) {
	inWord := mark == '\'' && s.at > 0 && isWord(s.text[s.at-1])
	for i := s.at + 1; i < len(s.text) && !inWord; i++ {
		switch {
		case s.text[i] == '\\' && mark == '"':
			i++
		case s.text[i] == mark && (mark != '\'' || i+1 == len(s.text) || !isWord(s.text[i+1])):
			s.out = append(s.out, `"…"`...)
			s.at = i + 1
			return
		}
	}
	s.out = append(s.out, mark)
	s.at++
}

// word takes letters and digits: as they are where they name something, as # where they number it.
func (s *scan) word() {
	if isUUID(s.text[s.at:]) {
		s.at += uuidLen
		s.number()
		return
	}
	from := s.at
	for s.at < len(s.text) && isWord(s.text[s.at]) {
		s.at++
	}
	w := s.text[from:s.at]
	switch {
	case numbers(w):
		s.number()
	default:
		for i := 0; i < len(w); i++ {
			switch {
			case !isDigit(w[i]):
				s.out = append(s.out, w[i])
			case i == 0:
				s.number()
			case !isDigit(w[i-1]):
				s.out = append(s.out, '#')
			}
		}
	}
}

// number writes one # for all parts of a number: 10.0.0.1:80 is one.
func (s *scan) number() {
	n := len(s.out)
	if n > 0 && s.out[n-1] == '#' {
		return
	}
	if n > 1 && s.out[n-2] == '#' && strings.IndexByte(".,:-/+", s.out[n-1]) >= 0 {
		s.out = s.out[:n-1]
		return
	}
	s.out = append(s.out, '#')
}
