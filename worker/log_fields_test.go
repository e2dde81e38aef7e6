package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/worker"
)

type logged struct {
	Order string   `json:"order_id"`
	Card  string   `json:"card"`
	Big   int64    `json:"big"`
	Lines []string `json:"lines"`
	Note  string   `json:"note"`
}

func logPolicy(fields ...string) twice.Policy[logged] {
	return twice.Policy[logged]{Key: func(l logged) string { return l.Order }, MaxFailures: 1, LogFields: fields}
}

var (
	openKind   = twice.Define("log.open", logPolicy("order_id", "big", "lines", "note", "missing"))
	closedKind = twice.Define("log.closed", logPolicy())
)

// The fields that a kind names are logged at start and end, scrubbed and cut; without a name nothing of a payload is,
// which is the control.
func TestLog_payload_fields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		w := s.worker(nil, worker.Config{Name: "w1"})
		fail := func(context.Context, twice.Job[logged]) error {
			return errors.New("gateway redis://u:hunter2@h refused\nAuthorization: Bearer hunter2hunter2 " + strings.Repeat("x ", 2000))
		}
		worker.Handle(w, openKind, fail)
		worker.Handle(w, closedKind, fail)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		for _, kind := range []*twice.Kind[logged]{openKind, closedKind} {
			args := logged{"o-17", "4111-1111", 9007199254740993, []string{"a", "b"}, "\u0000 token=hunter2 " + strings.Repeat("é", 300)}
			if _, err := kind.Enqueue(ctx, s.engine, args); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if log := s.logged(); strings.Contains(log, "4111") || strings.Contains(log, "hunter2") {
			t.Errorf("what no kind allows is logged, or a secret:\n%s", log)
		}
		seen := map[string]int{}
		for line := range strings.Lines(s.logged()) {
			if len(line) > 4<<10 {
				t.Errorf("a line of %d bytes", len(line))
			}
			var rec struct {
				Msg, Kind, Error string
				Payload          map[string]string
			}
			if err := json.Unmarshal([]byte(line), &rec); err != nil {
				t.Fatal(err)
			}
			if rec.Payload == nil {
				continue
			}
			seen[rec.Kind+" "+rec.Msg]++
			p := rec.Payload
			if p["order_id"] != "o-17" || p["big"] != "9007199254740993" || p["lines"] != `["a","b"]` || !strings.HasPrefix(p["note"], "  token=*** éé") ||
				!strings.HasSuffix(p["note"], "… cut") || len(p["note"]) > 300 || len(p) != 4 {
				t.Errorf("payload %q", p)
			}
			if rec.Msg == "attempt ended" && (len(rec.Error) > 1<<10+10 || !strings.Contains(rec.Error, "redis://u:***@h refused Authorization: Bearer *** x")) {
				t.Errorf("error %q", rec.Error)
			}
		}
		if len(seen) != 2 || seen["log.open attempt started"] != 1 || seen["log.open attempt ended"] != 1 {
			t.Errorf("lines with a payload: %v", seen)
		}
	})
}
