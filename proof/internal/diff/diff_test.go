package diff

import (
	"strings"
	"testing"
	"time"
)

type inner struct {
	N    int
	text string
}

type outer struct {
	Rows  map[string]inner
	List  []int
	Bytes []byte
	At    time.Time
	P     *inner
	Any   any
}

func TestOf(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a := outer{map[string]inner{"a": {1, "x"}, "b": {}}, []int{1, 2}, []byte("x"), at, &inner{N: 1}, 1}
	b := outer{map[string]inner{"a": {2, "y"}, "c": {}}, []int{1, 3, 4}, []byte("y"), at.Add(time.Second), nil, "1"}
	got := strings.Join(Of(a, b), "\n")
	for _, want := range []string{
		"Rows[a].N: 1 → 2", `Rows[a].text: "x" → "y"`, "Rows[b]: {N:0 text:} → nothing", "Rows[c]: nothing → {N:0 text:}",
		"List[1]: 2 → 3", "List[2]: nothing → 4", `Bytes: "x" → "y"`, "At: 2026-01-01 00:00:00 +0000 UTC → 2026-01-01 00:00:01 +0000 UTC", "P: ", `Any: 1 → "1"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not told in\n%s", want, got)
		}
	}
	if lines := Of(a, a); len(lines) != 0 {
		t.Errorf("a and a: %v", lines)
	}
	if lines := Of(map[string]int{"x y": 1}, map[string]int{"x y": 2}); len(lines) != 1 || lines[0] != "x y: 1 → 2" {
		t.Errorf("%q", lines)
	}
	for _, pair := range [][2]any{{nil, 1}, {1, "1"}, {[]int(nil), []int{}}, {[]int{}, nil}} {
		if lines := Of(pair[0], pair[1]); len(lines) != 1 {
			t.Errorf("%v and %v: %q", pair[0], pair[1], lines)
		}
	}
}

// However much differs, what is told is bounded, and says so.
func TestOf_bounds(t *testing.T) {
	a, b := map[int]string{}, map[int]string{}
	for i := range 1000 {
		a[i], b[i] = "x", strings.Repeat("y", 1000)
	}
	lines := Of(a, b)
	if len(lines) != maxLines+1 || lines[maxLines] != "… and 980 more" || len(lines[0]) > 300 {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	type loop struct{ Next *loop }
	x, y := &loop{}, &loop{}
	x.Next, y.Next = x, &loop{}
	if len(Of(x, y)) == 0 {
		t.Error("a loop equals what is none")
	}
}
