package explore

import "time"

// Where time is explored it goes by instants, 1 and up, as in the model: a day each. Whatever happens at an instant
// happens about its noon, so leases of minutes come and go within one.
const day = 24 * time.Hour

var eve = time.Date(2031, 5, 6, 0, 0, 0, 0, time.UTC) // before the first instant

func noon(instant int64) time.Time { return end(instant - 1).Add(day / 2) }

// end is the last moment of an instant: a mark there takes all of it.
func end(instant int64) time.Time { return eve.Add(time.Duration(instant)*day - time.Millisecond) }

// instant is the one that a moment belongs to; a moment before all of them is 0.
func instant(t time.Time) int64 {
	if !t.After(eve) {
		return 0
	}
	return 1 + int64(t.Sub(eve)/day)
}

// passed is the last instant that a mark takes wholly.
func passed(mark time.Time) int64 {
	if mark.Before(eve) {
		return 0
	}
	return int64(mark.Add(time.Millisecond).Sub(eve) / day)
}

// Remember is how long a store must be set to keep what happened for a horizon of so many instants: a mark may come as
// near as the end of the instant that is as many before the present one, and no nearer.
func Remember(horizon int64) time.Duration { return time.Duration(horizon)*day - day/2 }
