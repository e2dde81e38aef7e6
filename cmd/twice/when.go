package main

import (
	"fmt"
	"time"
)

// at shows an instant and how far it is from now; "-" for none.
func (s *session) at(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(s.Zone).Format(time.RFC3339) + " (" + s.age(t) + ")"
}

// age shows how far an instant is from now: "3m ago", "in 2h", "now".
func (s *session) age(t time.Time) string {
	switch d := s.Now().Sub(t); {
	case t.IsZero():
		return "-"
	case d > -time.Second && d < time.Second:
		return "now"
	case d < 0:
		return "in " + long(-d)
	default:
		return long(d) + " ago"
	}
}

// long shows a length of time, rounded, in one unit, of which there are mostly two or more.
func long(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	for _, u := range units {
		if n := (d + u.of/2) / u.of; n < u.below {
			return fmt.Sprintf("%d%s", n, u.name)
		}
	}
	return fmt.Sprintf("%dy", d/year)
}

const day, year = 24 * time.Hour, 365 * 24 * time.Hour

// units are used below so many of them, which is two of the next.
var units = []struct {
	of, below time.Duration
	name      string
}{{time.Second, 120, "s"}, {time.Minute, 120, "m"}, {time.Hour, 48, "h"}, {day, 2 * 365, "d"}}
