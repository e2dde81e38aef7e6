package history

import "time"

// Clock orders what all processes of one host record. It runs with the host's monotonic clock, which is one for all of
// them and for all processors, and which nobody sets: a moment that is read after another, by whichever process, is
// never before it. So whatever was answered before something else was asked is recorded so, and an order that
// contradicts the moments did not take place. The wall clock may be set in between, and a process that was stopped
// does not stop this one. That a call is stamped before it is made, and its answer after it came, only widens it: the
// check may then accept more, and refuses nothing sound.
//
// It begins where the wall clock stands when it is made, since leases run by that: where the wall clock is set later,
// only the rules on time (Early, OneLease) are off, by as much.
type Clock struct {
	Zero int64 `json:"zero"` // ns since 1970 when the host's monotonic clock showed zero
}

// NewClock gives the clock of this host, for a campaign to hand to its processes. It is a *queue.Error with
// queue.ErrUnsupported where the system has no such clock for all processes.
func NewClock() (Clock, error) {
	shown, err := monotonic()
	return Clock{Zero: time.Now().UnixNano() - shown}, err
}

// Now gives the moment.
func (c Clock) Now() time.Time {
	shown, _ := monotonic() // it was there when the clock was made
	return time.Unix(0, c.Zero+shown)
}
