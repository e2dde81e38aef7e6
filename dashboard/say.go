package dashboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// moment is an instant as a page shows it: how far away in words, and exactly for whoever asks.
type moment struct {
	ISO   string // for machines; empty: there is none
	Exact string
	Ago   string
}

func momentOf(t, now time.Time, zone *time.Location) moment {
	if t.IsZero() {
		return moment{}
	}
	return moment{t.UTC().Format(time.RFC3339), t.In(zone).Format("2 Jan 2006, 15:04:05 MST"), ago(now.Sub(t))}
}

// ago tells how long since something was, or until it will be.
func ago(d time.Duration) string {
	switch {
	case d > -time.Second && d < time.Second:
		return "just now"
	case d < 0:
		return "in " + lasts(-d)
	}
	return lasts(d) + " ago"
}

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// lasts tells a length of time in one unit, of which there are mostly two or more.
func lasts(d time.Duration) string {
	switch {
	case d < 0:
		return "less than nothing"
	case d < time.Millisecond:
		return "less than 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	}
	for _, u := range []struct {
		of, below time.Duration
		name      string
	}{{time.Second, 120, "s"}, {time.Minute, 120, "min"}, {time.Hour, 48, "h"}, {day, 2 * 365, "days"}} {
		if n := d/u.of + d%u.of/(u.of/2); n < u.below {
			return fmt.Sprintf("%d %s", n, u.name)
		}
	}
	return fmt.Sprintf("%d years", d/year)
}

// secs is seconds as a length of time, within what one can be.
func secs(s float64) time.Duration {
	return time.Duration(max(-1e9, min(s, 9e9)) * float64(time.Second))
}

// counted writes a whole number with a comma between thousands.
func counted[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// noun writes a number with what it counts: 1 job, 2 jobs.
func noun(n int, one string) string {
	if n != 1 {
		switch {
		case strings.HasSuffix(one, "ry"):
			one = strings.TrimSuffix(one, "y") + "ies"
		case strings.HasSuffix(one, "s"), strings.HasSuffix(one, "h"):
			one += "es"
		default:
			one += "s"
		}
	}
	return counted(n) + " " + one
}

// rate writes a number of jobs in a time, in the unit that is easiest to read.
func rate(perSecond float64) string {
	switch {
	case math.IsNaN(perSecond) || perSecond <= 0:
		return "none"
	case perSecond >= 10:
		return counted(int64(perSecond+0.5)) + " a second"
	case perSecond >= 1:
		return fmt.Sprintf("%.1f a second", perSecond)
	case perSecond*60 >= 10:
		return fmt.Sprintf("%.0f a minute", perSecond*60)
	case perSecond*60 >= 1:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", perSecond*60), ".0") + " a minute"
	}
	return fmt.Sprintf("%.0f an hour", math.Max(1, perSecond*3600))
}

// size writes a number of bytes.
func size(n int) string {
	switch {
	case n < 10_000:
		return noun(n, "byte")
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", (n+512)>>10)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
}
