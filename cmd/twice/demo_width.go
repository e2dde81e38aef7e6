package main

// The width in characters to which the demo's prose is broken: the terminal's, within what reads well;
// and where there is no terminal, one that fits into mails and reviews.
const (
	narrowest = 60
	widest    = 110
	usual     = 100
)

// width is how wide prose on stdout may be.
func (s *session) width() int {
	if !s.Terminal(s.Stdout) {
		return usual
	}
	n := columns(s.Stdout)
	if n == 0 {
		n = 80
	}
	return min(max(n, narrowest), widest)
}
