package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/twicehq/twice/queue"
)

// What a log holds is what a recorder keeps; and wherever a kill cuts it, each call that it has begun is there, those
// without an end of unknown outcome, and the rest is still explained.
func TestLogCutAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		ops := drawnInto(t, func(now func() time.Time) *Recorder {
			return NewLog(&out, now, func(err error) { t.Fatal(err) })
		})
		if ops != nil {
			t.Fatal("a log keeps operations")
		}
		whole, cut, err := ReadLog(bytes.NewReader(out.Bytes()))
		if err != nil || cut != 0 || len(Check(whole, Config{}).Breaches) > 0 || len(whole) == 0 {
			t.Fatal(len(whole), cut, err, Check(whole, Config{}))
		}
		at := rapid.IntRange(0, out.Len()).Draw(t, "cut")
		part, cut, err := ReadLog(bytes.NewReader(out.Bytes()[:at]))
		if err != nil || cut > 1 {
			t.Fatalf("%d calls cut: %v", cut, err)
		}
		report := Check(part, Config{})
		if len(report.Breaches) > 0 || report.Unknown+report.Unheard > 0 && cut == 0 {
			t.Fatalf("%d calls cut: %+v", cut, report)
		}
		if v := Linearizable(part, Config{}, time.Second); !v.OK() {
			t.Fatalf("%+v", v)
		}
	})
}

// The n-th call of a process that is killed in it is not taken for one that did nothing.
func TestCutCallIsOfUnknownOutcome(t *testing.T) {
	id := queue.NewID("k", "1")
	line := func(e entry) string {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	killed := line(entry{N: 1, Start: 1, Ops: []Op{{Call: Enqueue, Answer: Unknown, Job: id, Print: 7}}})
	other := line(entry{N: 1, Start: 5, Ops: []Op{{Call: Look, Answer: Unknown, Job: id}}}) + line(entry{N: 1, End: 6, Ops: []Op{{Call: Look, Answer: OK, Job: id, State: queue.Queued}}})
	late, _, err := ReadLog(strings.NewReader(other))
	if err != nil {
		t.Fatal(err)
	}
	first, cut, err := ReadLog(strings.NewReader(killed + `{"n":2,"sta`))
	if err != nil || cut != 1 {
		t.Fatal(cut, err)
	}
	if report := Check(Merge(first, late), Config{}); len(report.Breaches) > 0 || report.Unknown != 1 {
		t.Errorf("%+v", report)
	}
	if report := Check(late, Config{}); len(report.Breaches) != 1 {
		t.Errorf("without it: %+v", report)
	}
	for _, bad := range []string{killed + killed, `{"n":1,"end":3}` + "\n", "{}\n", "no\n"} {
		if _, _, err := ReadLog(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// What cannot be written is told before the call is made.
func TestLogThatCannotBeWritten(t *testing.T) {
	var told error
	read, write := io.Pipe()
	_ = read.CloseWithError(errors.New("no room"))
	r := NewLog(write, time.Now, func(err error) { told = err })
	r.begin("one", func() []Op { return nil })
	if told == nil || !strings.Contains(told.Error(), "no room") {
		t.Error(told)
	}
}

// Of several histories the moments alone make one; the steps of a call stay one step.
func TestMerge(t *testing.T) {
	op := func(n int, start int64, client string) Op {
		return Op{N: n, Start: start, End: start + 1, Client: client}
	}
	got := Merge([]Op{op(1, 10, "a"), op(2, 30, "a"), op(2, 30, "a")}, []Op{op(1, 20, "b"), op(2, 30, "b"), op(3, 5, "b")})
	want := []Op{op(1, 5, "b"), op(2, 10, "a"), op(3, 20, "b"), op(4, 30, "a"), op(4, 30, "a"), op(5, 30, "b")}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// The clock of a campaign goes on, whoever reads it, near the wall clock's time.
func TestClock(t *testing.T) {
	c, err := NewClock()
	if errors.Is(err, queue.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	last := c.Now()
	if off := time.Since(last.Round(0)); off < -time.Minute || off > time.Minute {
		t.Errorf("it is %s off", off)
	}
	for range 1000 {
		if now := c.Now(); now.Before(last) {
			t.Fatal("it goes back")
		} else {
			last = now
		}
	}
}
