package twice

import (
	"errors"
	"fmt"
	"time"
)

// Bury is a handler's answer that no retry can help: the job is dead at once, with this error.
func Bury(err error) error {
	if err == nil {
		err = errors.New("buried by its handler")
	}
	return &Buried{err}
}

// Buried is the answer that Bury makes.
type Buried struct{ Err error }

func (b *Buried) Error() string { return b.Err.Error() }
func (b *Buried) Unwrap() error { return b.Err }

// Snooze is a handler's answer that it is too early: the job runs again after d. That is no failure;
// snoozes are counted by themselves. A negative d means at once.
func Snooze(d time.Duration) error { return &Snoozed{max(0, d)} }

// Snoozed is the answer that Snooze makes.
type Snoozed struct{ For time.Duration }

func (s *Snoozed) Error() string { return fmt.Sprintf("snoozed for %s", s.For) }
