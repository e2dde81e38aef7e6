package proof

import (
	"fmt"
	"strconv"
	"strings"
)

// schedule is what is done to the attempts of one job, in order. As text, its moves stand with spaces in between:
//
//	A        attempt A runs on to its end
//	A4       it runs on until it stands before passing its 4th point, and is left there
//	A4:crash its process ends there
//	A4:error the call of that point fails: before it acted, or after (its reply is lost)
//	A4:dead  the same, and it was the last failure that the job may have
//	redrive  a person sends the dead job back
//	reap     the time for which anything is kept passes, and all is forgotten
//	again    the same request comes again, with its origin
//
// An attempt begins with its first move. What is left when the moves are through runs on, and the job is then
// delivered until it has ended.
type schedule []move

type move struct {
	attempt int    // 0 is A
	at      int    // a point, from 1; 0: to the end
	do      string // crash, error, dead; redrive, reap, again without an attempt
}

const (
	doCrash   = "crash"
	doError   = "error"
	doDead    = "dead"
	doRedrive = "redrive"
	doReap    = "reap"
	doAgain   = "again"
)

func letter(attempt int) string { return string(rune('A' + attempt)) }

// ofNobody tells a move that is of no attempt.
func (m move) ofNobody() bool { return m.do == doRedrive || m.do == doReap || m.do == doAgain }

func (m move) String() string {
	if m.ofNobody() {
		return m.do
	}
	s := letter(m.attempt)
	if m.at > 0 {
		s += strconv.Itoa(m.at)
	}
	if m.do != "" {
		s += ":" + m.do
	}
	return s
}

func (s schedule) String() string {
	words := make([]string, len(s))
	for i, m := range s {
		words[i] = m.String()
	}
	return strings.Join(words, " ")
}

// parse reads a schedule as String writes it.
func parse(text string) (schedule, error) {
	var s schedule
	next := 0
	for _, word := range strings.Fields(text) {
		m, err := parseMove(word)
		if err != nil {
			return nil, err
		}
		if !m.ofNobody() {
			if m.attempt > next {
				return nil, fmt.Errorf("%q in schedule %q: attempt %s has not begun", word, text, letter(next))
			}
			next = max(next, m.attempt+1)
		}
		s = append(s, m)
	}
	if len(s) > maxMoves {
		return nil, fmt.Errorf("a schedule of %d moves: the most is %d", len(s), maxMoves)
	}
	return s, nil
}

const maxMoves = 20

func parseMove(word string) (move, error) {
	switch word {
	case doRedrive, doReap, doAgain:
		return move{do: word}, nil
	}
	wrong := fmt.Errorf("%q is no move of a schedule; write such as A4, A4:crash, A4:error, A4:dead, A, redrive, reap or again", word)
	who, do, _ := strings.Cut(word, ":")
	if who == "" || who[0] < 'A' || who[0] > 'Z' {
		return move{}, wrong
	}
	m := move{attempt: int(who[0] - 'A'), do: do}
	if at := who[1:]; at != "" {
		n, err := strconv.Atoi(at)
		if err != nil || n < 1 {
			return move{}, wrong
		}
		m.at = n
	}
	switch do {
	case "":
		return m, nil
	case doCrash, doError, doDead:
		if m.at > 0 {
			return m, nil
		}
	}
	return move{}, wrong
}

// sortOf tells a schedule's sort by its moves.
func (s schedule) sortOf() Sort {
	crashes, frozen := 0, 0
	sort := clean
	for _, m := range s {
		switch {
		case m.do == doReap:
			return Late
		case m.do == doRedrive, m.do == doDead:
			return Redrive
		case m.do == doCrash:
			crashes++
		case m.do == doError:
			sort = Error
		case m.at > 0:
			frozen++
		}
	}
	switch {
	case frozen > 1:
		return Duplicate
	case frozen == 1:
		return Zombie
	case crashes > 1:
		return SecondCrash
	case crashes == 1:
		return Crash
	}
	return sort
}
