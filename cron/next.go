package cron

import "time"

// Next gives the first due instant after t, in UTC; zero for the zero Spec.
func (s Spec) Next(t time.Time) time.Time {
	switch {
	case s.every > 0:
		return ceil(t, s.every)
	case s.daily:
		return s.nextDaily(t)
	case s.loc != nil:
		return s.nextHourly(t)
	}
	return time.Time{}
}

// latest gives the last due instant after one time and not after another, and how many there are before
// it; false if there is none.
func (s Spec) latest(after, upTo time.Time) (due time.Time, earlier int, ok bool) {
	due = s.Next(after)
	if due.IsZero() || due.After(upTo) {
		return time.Time{}, 0, false
	}
	if s.every > 0 {
		n := upTo.Sub(due) / s.every
		return due.Add(n * s.every), int(n), true
	}
	for {
		next := s.Next(due)
		if next.After(upTo) {
			return due, earlier, true
		}
		due, earlier = next, earlier+1
	}
}

// ceil gives the first multiple of d since 1970 after t. d is whole seconds.
func ceil(t time.Time, d time.Duration) time.Time {
	step := int64(d / time.Second)
	sec := t.Unix()
	n := sec / step
	if sec%step < 0 {
		n--
	}
	return time.Unix((n+1)*step, 0).UTC()
}

func (s Spec) nextDaily(t time.Time) time.Time {
	year, month, day := t.In(s.loc).Date()
	for d := day - 1; ; d++ { // the day before: its time may be due late, after a gap
		if due := s.onDay(year, month, d); due.After(t) {
			return due
		}
	}
}

// onDay gives the instant at which the zone's clock first shows the spec's time on a day; where it never
// does, the first instant after the gap.
func (s Spec) onDay(year int, month time.Month, day int) time.Time {
	wall := time.Date(year, month, day, s.hour, s.min, 0, 0, time.UTC) // as if the zone were UTC
	before, after := s.offset(wall.Add(-36*time.Hour)), s.offset(wall.Add(36*time.Hour))
	first := time.Time{}
	for _, offset := range []time.Duration{before, after} {
		u := wall.Add(-offset)
		if s.offset(u) == offset && (first.IsZero() || u.Before(first)) {
			first = u
		}
	}
	if !first.IsZero() {
		return first
	}
	// In a gap: by the clock from before it, the time lies after the change.
	change, _ := wall.Add(-before).In(s.loc).ZoneBounds()
	return change.UTC()
}

func (s Spec) offset(u time.Time) time.Duration {
	_, seconds := u.In(s.loc).Zone()
	return time.Duration(seconds) * time.Second
}

// nextHourly looks at one stretch of time after another in which the zone's clock runs evenly.
func (s Spec) nextHourly(t time.Time) time.Time {
	after, at := t, t
	for {
		shift := s.offset(at) - time.Duration(s.min)*time.Minute
		due := ceil(after.Add(shift), time.Hour).Add(-shift)
		_, end := at.In(s.loc).ZoneBounds()
		if end.IsZero() || due.Before(end) {
			return due
		}
		after, at = end.Add(-time.Second), end // the instant of the change may be due
	}
}
