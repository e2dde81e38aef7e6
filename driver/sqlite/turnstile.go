package sqlite

import (
	"os"
	"time"
)

// turnstile makes processes that write to one file take turns. SQLite's write lock is nobody's in particular: a
// process that commits without a break gets it again and again, and the heartbeat of another waits.
// Whoever waits here for the turn holds the place after it, so whoever just had the turn queues up behind.
//
// It is a courtesy and guards nothing: SQLite's own lock does. So a process that was stopped while it held a
// place holds nobody up for longer than patience.
type turnstile struct{ file *os.File }

const (
	placeNext = iota // the byte of the file that stands for the place after the turn
	placeTurn
)

// patience is how long a place is waited for; after it the writer goes on without.
const patience = 100 * time.Millisecond

// openTurnstile opens the turnstile beside the database at path. Where it cannot, there is none.
func openTurnstile(path string) *turnstile {
	if !canLockRanges {
		return &turnstile{}
	}
	f, err := os.OpenFile(path+"-turn", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return &turnstile{}
	}
	return &turnstile{file: f}
}

// enter takes the turn; leave must be called after it.
func (s *turnstile) enter() {
	if s.file == nil {
		return
	}
	next := s.take(placeNext)
	s.take(placeTurn)
	if next {
		unlockRange(s.file, placeNext)
	}
}

func (s *turnstile) leave() {
	if s.file != nil {
		unlockRange(s.file, placeTurn)
	}
}

func (s *turnstile) take(place int64) bool {
	pause := 20 * time.Microsecond
	for end := time.Now().Add(patience); ; {
		if lockRange(s.file, place) {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Millisecond)
	}
}

func (s *turnstile) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
