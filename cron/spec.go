package cron

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// Spec says when an entry is due, in a time zone. Parse makes one; its zero value is never due.
//
//	@every 7m      every 7 minutes: at the multiples of 7 minutes since 1970-01-01 00:00 UTC, so that all
//	               schedulers agree, also after a restart. Whole seconds, from 1s to 8760h.
//	hourly :05     whenever the zone's clock shows minute 5
//	daily 02:30    once on every day of the zone's calendar, when its clock shows 02:30
//
// Where the clock is changed: a daily time that does not exist on a day is due at the first instant after
// the gap; one that exists twice is due the first time only. An hourly entry is due whenever the clock
// shows its minute: so it keeps its hour's distance over a change by whole hours, and over one by half an
// hour (Lord Howe) once waits 30 or 90 minutes. Due instants are whole seconds. No two of a spec are the
// same instant.
type Spec struct {
	text  string
	every time.Duration // @every
	daily bool
	hour  int // daily
	min   int // daily, hourly
	loc   *time.Location
}

const (
	minEvery = time.Second
	maxEvery = 365 * 24 * time.Hour
)

// Parse reads a spec in a zone, an IANA name ("Europe/Berlin"); the empty one is UTC. It fails with
// ErrInvalid, naming every problem at once.
func Parse(spec, zone string) (Spec, error) {
	s := Spec{text: strings.Join(strings.Fields(spec), " ")}
	var found queue.Problems
	var err error
	if s.loc, err = location(zone); err != nil {
		found = append(found, err)
	}
	word, rest, _ := strings.Cut(s.text, " ")
	switch word {
	case "@every":
		if s.every, err = time.ParseDuration(rest); err != nil || s.every < minEvery || s.every > maxEvery || s.every%time.Second != 0 {
			found = append(found, invalid(spec, fmt.Sprintf("%q is not a time between fires", rest), fmt.Sprintf("use whole seconds from %s to %s, as in @every 7m", minEvery, maxEvery)))
		}
	case "hourly":
		minute, ok := strings.CutPrefix(rest, ":")
		if s.min, err = number(minute, 59); !ok || err != nil {
			found = append(found, invalid(spec, fmt.Sprintf("%q is no minute", rest), "use two digits, as in hourly :05"))
		}
	case "daily":
		s.daily = true
		hour, minute, ok := strings.Cut(rest, ":")
		var err2 error
		s.hour, err = number(hour, 23)
		if s.min, err2 = number(minute, 59); !ok || err != nil || err2 != nil {
			found = append(found, invalid(spec, fmt.Sprintf("%q is no time of day", rest), "use 24 hours, as in daily 02:30"))
		}
	default:
		found = append(found, invalid(spec, "it is none of the known forms", "use @every 7m, hourly :05 or daily 02:30"))
	}
	switch len(found) {
	case 0:
		return s, nil
	case 1:
		return Spec{}, found[0]
	}
	return Spec{}, &queue.Error{Op: "parse schedule", Subject: fmt.Sprintf("%.80q", spec), Reason: queue.ErrInvalid, Cause: found}
}

// String gives the spec as it was written, without its zone.
func (s Spec) String() string { return s.text }

func location(zone string) (*time.Location, error) {
	if zone == "" {
		return time.UTC, nil
	}
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, &queue.Error{Op: "parse schedule", Subject: fmt.Sprintf("zone %.80q", zone), Reason: queue.ErrInvalid, Cause: err,
			Remedy: "use an IANA name such as Europe/Berlin; import time/tzdata where the machine has no zones"}
	}
	return loc, nil
}

func invalid(spec, detail, remedy string) error {
	return &queue.Error{Op: "parse schedule", Subject: fmt.Sprintf("%.80q", spec), Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy}
}

// number reads exactly two digits.
func number(text string, limit int) (int, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || len(text) != 2 || int(n) > limit {
		return 0, queue.ErrInvalid
	}
	return int(n), nil
}
