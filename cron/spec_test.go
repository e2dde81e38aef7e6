package cron

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/twicehq/twice/queue"
)

func TestParse(t *testing.T) {
	for _, row := range []struct{ spec, zone, problem string }{
		{"@every 7m", "", ""},
		{"@every  1h30m", "Europe/Berlin", ""},
		{"hourly :05", "Asia/Kolkata", ""},
		{" daily 02:30 ", "America/New_York", ""},
		{"@every 0s", "", "not a time between fires"},
		{"@every 1500ms", "", "not a time between fires"},
		{"@every -1m", "", "not a time between fires"},
		{"@every 9000h", "", "not a time between fires"},
		{"@every", "", "not a time between fires"},
		{"hourly 05", "", "no minute"},
		{"hourly :60", "", "no minute"},
		{"hourly :5", "", "no minute"},
		{"daily 24:00", "", "no time of day"},
		{"daily 2:30", "", "no time of day"},
		{"daily 02:30:00", "", "no time of day"},
		{"daily -1:30", "", "no time of day"},
		{"weekly", "", "none of the known forms"},
		{"", "", "none of the known forms"},
		{"@every 7m", "Mars/Olympus", "zone"},
		{"@every 7m", "Local", "zone"},
		{"@every 7m", "../../etc/passwd", "zone"},
	} {
		_, err := Parse(row.spec, row.zone)
		switch {
		case row.problem == "" && err != nil:
			t.Errorf("%q in %q: %v", row.spec, row.zone, err)
		case row.problem != "" && (!errors.Is(err, queue.ErrInvalid) || !strings.Contains(err.Error(), row.problem)):
			t.Errorf("%q in %q: %v, want %q", row.spec, row.zone, err, row.problem)
		}
	}
	_, err := Parse("weekly", "Mars/Olympus")
	if err == nil || !strings.Contains(err.Error(), "Mars") || !strings.Contains(err.Error(), "known forms") {
		t.Errorf("not every problem at once: %v", err)
	}
}

func mustParse(t *testing.T, spec, zone string) Spec {
	t.Helper()
	s, err := Parse(spec, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// faces gives what the zone's clock shows at every minute, in minutes since 1970 as if it were UTC.
func faces(loc *time.Location, from time.Time, minutes int) []int64 {
	all := make([]int64, minutes)
	for i := range all {
		u := from.Add(time.Duration(i) * time.Minute)
		_, offset := u.In(loc).Zone()
		all[i] = (u.Unix() + int64(offset)) / 60
	}
	return all
}

// oracle finds due instants the slow way: by looking at the clock at every minute.
func oracle(s Spec, from time.Time, faces []int64) []time.Time {
	var due []time.Time
	const day = 24 * 60
	target := (faces[0]/day+1)*day + int64(s.hour*60+s.min)
	for i, face := range faces {
		hit := !s.daily && face%60 == int64(s.min)
		for s.daily && face >= target { // the first time it is shown, or the first instant after a gap
			hit = true
			target += day
		}
		if hit {
			due = append(due, from.Add(time.Duration(i)*time.Minute))
		}
	}
	return due
}

// Every instant that the clock says, in order, none doubled, none lost, over every change of these zones:
// by an hour, by half an hour, at midnight, by a whole day.
func TestNextAgainstTheClock(t *testing.T) {
	zones := map[string]int{"Europe/Berlin": 2026, "America/New_York": 2026, "Australia/Lord_Howe": 2026, "America/Havana": 2026,
		"America/Sao_Paulo": 2018, "Pacific/Apia": 2011, "Asia/Kathmandu": 2026, "Africa/Casablanca": 2026}
	for zone, year := range zones {
		from := time.Date(year, 1, 10, 0, 0, 0, 0, time.UTC)
		shown := faces(mustParse(t, "hourly :00", zone).loc, from, 365*24*60)
		for _, spec := range []string{"daily 02:30", "daily 01:30", "daily 00:00", "daily 02:00", "daily 23:59", "hourly :05", "hourly :00", "hourly :35"} {
			s := mustParse(t, spec, zone)
			at := from.Add(-time.Second)
			for i, want := range oracle(s, from, shown) {
				if i == 0 {
					at = want.Add(-time.Second)
				}
				got := s.Next(at)
				if !got.Equal(want) {
					t.Errorf("%s in %s after %s: %s, want %s", spec, zone, at.In(s.loc), got.In(s.loc), want.In(s.loc))
					break
				}
				if mid := want.Add(-time.Millisecond); !s.Next(mid).Equal(want) {
					t.Errorf("%s in %s: not strictly the next after %s", spec, zone, mid)
				}
				at = got
			}
		}
	}
}

func TestGapAndDoubledHour(t *testing.T) {
	s := mustParse(t, "daily 02:30", "Europe/Berlin")
	spring := s.Next(time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)) // 02:30 does not exist on the 29th
	if want := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC); !spring.Equal(want) {
		t.Errorf("in the gap: %s, want %s, the first instant after it", spring, want)
	}
	autumn := s.Next(time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)) // 02:30 exists twice on the 25th
	if want := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC); !autumn.Equal(want) {
		t.Errorf("doubled: %s, want %s, the first", autumn, want)
	}
	if next := s.Next(autumn); next.Sub(autumn) != 25*time.Hour {
		t.Errorf("then %s", next)
	}
}

func TestEveryIsTheSameForAll(t *testing.T) {
	s := mustParse(t, "@every 7m", "")
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(-1, 5), time.Unix(419, 999), time.Unix(420, 0), time.Unix(1790000000, 1)} {
		next := s.Next(at)
		if next.Unix()%420 != 0 || !next.After(at) || next.Sub(at) > 7*time.Minute {
			t.Errorf("after %s: %s", at, next)
		}
	}
}

func TestLatest(t *testing.T) {
	from := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		spec    string
		after   time.Duration
		due     time.Duration
		earlier int
		ok      bool
	}{
		{"@every 1h", 59 * time.Minute, 0, 0, false},
		{"@every 1h", time.Hour, time.Hour, 0, true},
		{"@every 1h", 3*time.Hour + time.Minute, 3 * time.Hour, 2, true},
		{"@every 1s", 24 * 365 * time.Hour, 24 * 365 * time.Hour, 24*365*3600 - 1, true},
		{"hourly :30", 2 * time.Hour, 90 * time.Minute, 1, true},
		{"daily 06:00", 5 * time.Hour, 0, 0, false},
		{"daily 06:00", 100 * time.Hour, 78 * time.Hour, 3, true},
	} {
		due, earlier, ok := mustParse(t, row.spec, "").latest(from, from.Add(row.after))
		if ok != row.ok || earlier != row.earlier || (ok && !due.Equal(from.Add(row.due))) {
			t.Errorf("%s within %s: %s, %d earlier, %v", row.spec, row.after, due, earlier, ok)
		}
	}
}
