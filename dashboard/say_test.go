package dashboard

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestSay(t *testing.T) {
	now := time.Date(2026, 3, 29, 3, 30, 0, 0, time.UTC)
	for _, c := range []struct{ got, want string }{
		{ago(0), "just now"}, {ago(-400 * time.Millisecond), "just now"}, {ago(3 * time.Minute), "3 min ago"}, {ago(-2 * time.Hour), "in 2 h"},
		{ago(1500 * time.Millisecond), "1.5 s ago"}, {ago(90 * time.Second), "90 s ago"}, {ago(math.MaxInt64), "292 years ago"}, {ago(math.MinInt64 + 1), "in 292 years"},
		{lasts(0), "less than 1 ms"}, {lasts(-1), "less than nothing"}, {lasts(12 * time.Millisecond), "12 ms"}, {lasts(9 * time.Second), "9 s"}, {lasts(119 * time.Second), "119 s"},
		{lasts(2 * time.Minute), "2 min"}, {lasts(47 * time.Hour), "47 h"}, {lasts(48 * time.Hour), "2 days"}, {lasts(3 * year), "3 years"},
		{counted(0), "0"}, {counted(999), "999"}, {counted(1000), "1,000"}, {counted(-1234567), "-1,234,567"}, {counted(int64(math.MinInt64)), "-9,223,372,036,854,775,808"},
		{noun(1, "job"), "1 job"}, {noun(0, "job"), "0 jobs"}, {noun(2, "entry"), "2 entries"}, {noun(2, "crash"), "2 crashes"},
		{counts(10_000, true), "10,000+"},
		{rate(0), "none"}, {rate(math.NaN()), "none"}, {rate(12.4), "12 a second"}, {rate(1.5), "1.5 a second"}, {rate(0.5), "30 a minute"}, {rate(0.05), "3 a minute"}, {rate(0.001), "4 an hour"}, {rate(1e-9), "1 an hour"},
		{size(1), "1 byte"}, {size(4096), "4,096 bytes"}, {size(20_000), "20 KiB"}, {size(1 << 20), "1 MiB"}, {size(3 << 19), "1.5 MiB"},
		{measured(2.5, "s"), "2.5 s"}, {measured(0.25, "/s"), "15 a minute"}, {measured(1, "jobs"), "1 job"}, {measured(1234.5, "jobs"), "1,234 jobs"}, {measured(87.5, "%"), "87.5 %"}, {measured(1e300, "s"), "285 years"}, {measured(0.333, ""), "0.33"},
		{shorten("añb", 3), "añb"}, {shorten("añbc", 2), "añ…"}, {shorten("", 0), ""},
		{visible("a\x00b"), "a␀b"}, {visible("\u202Egnp"), "‹U+202E›gnp"}, {visible("\xff"), "\uFFFD"}, {visible("tab\tand\nline"), "tab\tand\nline"}, {visible("\x1b[31m"), "‹U+001B›[31m"},
		{sentence(""), ""}, {sentence("ünder way"), "Ünder way."}, {sentence("Done!"), "Done!"},
		{spaced("oldest_due"), "oldest due"}, {operationWords("getJob"), "look the job up"},
		{momentOf(time.Time{}, now, time.UTC).ISO, ""}, {momentOf(now.Add(-3*time.Minute), now, time.UTC).Ago, "3 min ago"}, {momentOf(now, now, time.UTC).Exact, "29 Mar 2026, 03:30:00 UTC"},
		{verdictWord("stuck_handler").Text, "Stuck: handlers do not end"}, {verdictWord("under_provisioned").Text, "Too few slots"}, {verdictWord("brand_new").Text, "brand new"},
		{headline(false, 3, 0, false).Text, "All 3 queues are well"}, {headline(false, 3, 1, false).Text, "1 of 3 queues needs somebody"}, {headline(false, 3, 2, false).Text, "2 of 3 queues need somebody"},
		{headline(false, 1, 1, false).Text, "The queue needs somebody"}, {headline(true, 3, 0, false).Text, "The engine does not answer"}, {headline(false, 0, 0, false).Text, "No queue yet"}, {headline(false, 2, 0, true).Text, "2 queues, not judged"}, {headline(false, 1, 0, false).Text, "The queue is well"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestEveryVerdictHasWords: a stuck consumer is never told in the words of too few.
func TestEveryVerdictHasWords(t *testing.T) {
	seen := map[string]string{}
	for _, name := range strings.Fields("broker_down no_data paused no_consumer consumer_dead stuck_handler stuck_dispatch crash_loop poison dependency_down throttled under_provisioned catching_up dead_letters_growing healthy idle undetermined") {
		w := verdictWord(name)
		if urgency(name) == len(verdicts) || seen[w.Text] != "" {
			t.Errorf("%s has no words of its own: %q, as %q", name, w.Text, seen[w.Text])
		}
		seen[w.Text] = name
	}
}

func TestHistory(t *testing.T) {
	at := time.Date(2026, 3, 29, 0, 59, 0, 0, time.UTC)
	h := newHistory()
	for i := range 300 {
		h.add("orders", sample{at: at.Add(time.Duration(i) * 5 * time.Second), due: i, ended: int64(i * 10), dead: int64(i / 100)})
		h.add("orders", sample{at: at.Add(time.Duration(i)*5*time.Second + time.Second), due: -1}) // too soon after the last
	}
	all := h.of("orders")
	if len(all) != keptSamples || all[0].due != 100 || all[keptSamples-1].due != 299 {
		t.Fatalf("%d samples, from %d to %d", len(all), all[0].due, all[len(all)-1].due)
	}
	if perSecond, known := throughput(all); !known || perSecond != 2 {
		t.Error("throughput is ", perSecond)
	}
	if n, _ := died(all); n != 1 {
		t.Error("died: ", n)
	}
	h.add("orders", sample{at: at.Add(-time.Hour), due: 7}) // the clock was set back
	if all := h.of("orders"); len(all) != 1 || all[0].due != 7 {
		t.Error("after the clock was set back: ", len(all))
	}
	if _, known := throughput(h.of("orders")); known {
		t.Error("one sample tells no throughput")
	}
	h.add("orders", sample{at: at, ended: 0})
	h.add("orders", sample{at: at.Add(10 * time.Second), ended: -1 << 62}) // counts that fall are no throughput below nothing
	if perSecond, _ := throughput(h.of("orders")); perSecond != 0 {
		t.Error("throughput is ", perSecond)
	}
	for i := range 1000 {
		h.add(strings.Repeat("q", i), sample{at: at.Add(time.Duration(i) * time.Second)})
	}
	if len(h.queues) != keptQueues || h.of(strings.Repeat("q", 999)) == nil || h.of(strings.Repeat("q", 1)) != nil {
		t.Error("it keeps ", len(h.queues))
	}
}
