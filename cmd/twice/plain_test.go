package main

import (
	"testing"
	"time"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		"o-17 über":      "o-17 über",
		`C:\x "y"`:       `C:\x "y"`,
		"\x1b[31m":       `\x1b[31m`,
		"a\nb\tc\r":      `a\nb\tc\r`,
		"\u202e\u009b":   `\u202e\u009b`,
		"\xff\x00":       `\xff\x00`,
		"\U000e0041 tag": `\U000e0041 tag`,
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"": `""`, "o-17": "o-17", " x": `" x"`, `a\b`: `"a\\b"`, "\x00": `"\x00"`} {
		if got := named(in); got != want {
			t.Errorf("named(%q) = %s, want %s", in, got, want)
		}
	}
	if got := string(harmlessJSON([]byte("\"\u009b\U000e0041\u202e\""))); got != `"\u009b\udb40\udc41\u202e"` {
		t.Errorf("harmlessJSON gave %s", got)
	}
}

func TestCountsAndAges(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -4321: "-4,321"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s", n, got)
		}
	}
	now := time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)
	s := &session{Main: Main{Now: func() time.Time { return now }, Zone: time.FixedZone("", 3600)}}
	for d, want := range map[time.Duration]string{
		0: "now", 3 * time.Second: "3s ago", 3 * time.Minute: "3m ago", -2*time.Hour + time.Second: "in 2h", 30 * 24 * time.Hour: "30d ago", 3 * 365 * 24 * time.Hour: "3y ago",
		119*time.Second + 900*time.Millisecond: "2m ago",
	} {
		if got := s.age(now.Add(-d)); got != want {
			t.Errorf("age of %s = %s, want %s", d, got, want)
		}
	}
	if got := s.at(now.Add(-3 * time.Minute)); got != "2030-01-31T12:57:00+01:00 (3m ago)" {
		t.Errorf("at: %s", got)
	}
	if got := s.at(time.Time{}); got != "-" {
		t.Errorf("at: %s", got)
	}
}
