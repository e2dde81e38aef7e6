package main

import (
	"io"
	"strings"
	"testing"
)

func TestOptionsChooseInOrderAndNameWhatIsWrong(t *testing.T) {
	o, err := parse([]string{"-only", "drain,enqueue_1", "-peers", "limit,river-sqlite"}, io.Discard)
	if err != nil || len(o.scenarios) != 2 || o.scenarios[0].Name != "enqueue_1" || o.groups[0].contestants[0].Name != "river-sqlite" {
		t.Error(o, err)
	}
	_, err = parse([]string{"-only", "drian"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), `"drian"`) || !strings.Contains(err.Error(), "drain_rest") {
		t.Error(err)
	}
	_, err = parse([]string{"-runs", "0", "-n", "1"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "-runs") || !strings.Contains(err.Error(), "-n ") {
		t.Error(err)
	}
}
