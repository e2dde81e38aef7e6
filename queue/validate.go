package queue

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// earliest is the first instant taken seriously: before it, somebody mistook seconds for milliseconds.
var earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// CheckName reports whether s may name a queue, a kind, a group or a schedule (what says which): 1 to
// MaxName letters, digits, dots, dashes and underscores, beginning with a letter or digit. So no name
// can move a key of a cluster, break a metric or a URL. It fails with ErrInvalid.
func CheckName(what, s string) error {
	if detail := nameProblem(s); detail != "" {
		return &Error{Op: "name", Subject: what + " " + printable(s), Reason: ErrInvalid, Detail: detail, Remedy: nameRemedy}
	}
	return nil
}

const nameRemedy = "use 1 to 64 of a-z A-Z 0-9 . _ - and begin with a letter or digit"

func nameProblem(s string) string {
	if s == "" {
		return "it is empty"
	}
	if len(s) > MaxName {
		return fmt.Sprintf("it has %d bytes, the limit is %d", len(s), MaxName)
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == '-'):
		default:
			return fmt.Sprintf("byte %d is %q", i, c)
		}
	}
	return ""
}

// printable quotes s where it holds anything but plain text, and cuts it at 80 bytes.
func printable(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	if q := strconv.Quote(s); q != `"`+s+`"` || strings.ContainsRune(s, ' ') || s == "" {
		return q
	}
	return s
}

// problems gathers everything that is wrong, so that all of it is reported at once.
type problems struct {
	op, subject string
	found       []*Error
}

func (p *problems) add(reason error, detail, remedy string) {
	p.found = append(p.found, &Error{Reason: reason, Detail: detail, Remedy: remedy})
}

func (p *problems) name(what, s string) {
	if detail := nameProblem(s); detail != "" {
		p.add(ErrInvalid, fmt.Sprintf("its %s %s: %s", what, printable(s), detail), nameRemedy)
	}
}

func (p *problems) headers(h Headers) {
	if len(h) > MaxHeaders {
		p.add(ErrTooLarge, fmt.Sprintf("it has %d headers, the limit is %d", len(h), MaxHeaders), "keep ids only")
	}
	n := 0
	for k, v := range h {
		n += len(k) + len(v)
	}
	if n > MaxHeaderBytes {
		p.add(ErrTooLarge, fmt.Sprintf("its headers have %d bytes, the limit is %d", n, MaxHeaderBytes), "keep ids only")
	}
}

func (p *problems) instant(what string, t, now time.Time, ahead time.Duration) {
	if t.IsZero() {
		return
	}
	if t.Before(earliest) {
		p.add(ErrInvalid, fmt.Sprintf("its %s is %s", what, t.UTC().Format(time.RFC3339)), "is it in seconds where milliseconds were meant?")
	} else if t.Sub(now) > ahead {
		p.add(ErrInvalid, fmt.Sprintf("its %s is %s, more than %s ahead", what, t.UTC().Format(time.RFC3339), ahead), "use a nearer time")
	}
}

func (p *problems) err() error {
	switch len(p.found) {
	case 0:
		return nil
	case 1:
		e := p.found[0]
		e.Op, e.Subject = p.op, p.subject
		return e
	}
	all := &Error{Op: p.op, Subject: p.subject, Detail: fmt.Sprintf("%d problems", len(p.found))}
	causes := make(Problems, len(p.found))
	for i, e := range p.found {
		causes[i] = e
	}
	all.Cause = causes
	return all
}

// Problems is everything that is wrong with one thing, reported at once.
type Problems []error

func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, err := range p {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap gives each problem, so that errors.Is finds any of them.
func (p Problems) Unwrap() []error { return p }
