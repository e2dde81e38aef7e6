package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// lasts writes a time for people: the two largest units, no more than three digits of seconds.
func lasts(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return two(d, time.Minute, "min", time.Second, "s")
	case d < 48*time.Hour:
		return two(d, time.Hour, "h", time.Minute, "min")
	}
	return two(d, 24*time.Hour, "days", time.Hour, "h")
}

func two(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	d = d.Round(small)
	if rest := d % big / small; rest > 0 {
		return fmt.Sprintf("%d %s %d %s", d/big, bigName, rest, smallName)
	}
	return fmt.Sprintf("%d %s", d/big, bigName)
}

// count writes a number with its noun: 1 job, 12,000 jobs.
func count(n int64, noun string) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if n != 1 {
		noun += "s"
	}
	return s + " " + noun
}

// rate writes a number per second, or per minute where that is easier to read.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 10:
		return fmt.Sprintf("%.0f a second", perSecond)
	case perSecond >= 1:
		return fmt.Sprintf("%.1f a second", perSecond)
	}
	return fmt.Sprintf("%.3g a minute", math.Round(perSecond*600)/10)
}

func number(name string, value float64, unit string) Evidence {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		value = 0
	}
	return Evidence{Name: name, Value: math.Round(value*1000) / 1000, Unit: unit}
}

func seconds(name string, d time.Duration) Evidence { return number(name, d.Seconds(), "s") }

func jobs(name string, n int64, ids []queue.ID) Evidence {
	e := number(name, float64(n), "jobs")
	e.Jobs = slices.Clone(ids[:min(len(ids), MaxNamed)])
	return e
}

func workers(name string, n int, names []string) Evidence {
	e := number(name, float64(n), "workers")
	e.Workers = slices.Clone(names[:min(len(names), MaxNamed)])
	return e
}

// some names a few: "a, b and 3 more".
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
