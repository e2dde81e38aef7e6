package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/worker"
)

var (
	followed = twice.Define("follow.charge", twice.Policy[args]{Key: key, Queue: "money", LogFields: []string{"n"}})
	followUp = twice.Define("follow.receipt", twice.Policy[args]{Key: key, Queue: "mail"})
)

// One request id leads from the HTTP request through its job, both attempts of it, and the job that it made: the log
// of a whole request is one search.
func TestLog_follows_a_request(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		log := slog.New(slog.NewJSONHandler(s, nil))
		route := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			ctx := twice.WithTraceparent(twice.WithRequestID(r.Context(), r.Header.Get("X-Request-Id")), r.Header.Get("Traceparent"))
			receipt, err := followed.Enqueue(ctx, s.engine, args{17})
			log.Info("request answered", "request_id", twice.RequestID(ctx), "job_id", receipt.ID.String())
			if err != nil {
				t.Error(err)
			}
			rw.WriteHeader(http.StatusAccepted)
		})

		w := s.worker(nil, worker.Config{Name: "w-1"})
		worker.Handle(w, followed, func(ctx context.Context, job twice.Job[args]) error {
			if job.Attempt() == 1 {
				return errors.New("the gateway is away")
			}
			twice.Logger(ctx).Info("charged")
			_, err := followUp.Enqueue(ctx, s.engine, args{17})
			return err
		})
		worker.Handle(w, followUp, func(ctx context.Context, _ twice.Job[args]) error {
			twice.Logger(ctx).Info("receipt sent")
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()

		const trace = "0af7651916cd43dd8448eb211c80319c"
		for _, id := range []string{"req-7", "req-other"} { // the second is a duplicate: the job stays the first one's
			r := httptest.NewRequest("POST", "/charges", nil)
			r.Header.Set("X-Request-Id", id)
			r.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
			answer := httptest.NewRecorder()
			if route.ServeHTTP(answer, r); answer.Code != http.StatusAccepted {
				t.Fatal(answer.Code)
			}
			synctest.Wait()
		}
		time.Sleep(time.Minute) // of virtual time: the backoff passes
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}

		told := map[string][]string{}
		for line := range strings.Lines(s.logged()) {
			var rec map[string]any
			if err := json.Unmarshal([]byte(line), &rec); err != nil {
				t.Fatal(err)
			}
			if rec["request_id"] != "req-7" || rec["level"] == "DEBUG" {
				continue
			}
			if rec["kind"] != nil {
				for _, name := range []string{"job_id", "queue", "worker", "attempt"} {
					if rec[name] == nil {
						t.Errorf("no %s: %s", name, line)
					}
				}
				if rec["trace_id"] != trace {
					t.Errorf("trace %v: %s", rec["trace_id"], line)
				}
			}
			of := fmt.Sprint(rec["kind"])
			told[of] = append(told[of], strings.ReplaceAll(fmt.Sprint(rec["msg"], " ", rec["kind"], " ", rec["attempt"], " ", rec["outcome"]), "<nil>", "-"))
		}
		// The order is that within the request and within each job: a job may begin before its maker has ended.
		story := slices.Concat(told["<nil>"], told["follow.charge"], told["follow.receipt"])
		if want := []string{
			"request answered - - -",
			"attempt ended follow.charge 1 failed",
			"charged follow.charge 2 -",
			"attempt ended follow.charge 2 done",
			"receipt sent follow.receipt 1 -",
			"attempt ended follow.receipt 1 done",
		}; !slices.Equal(story, want) {
			t.Errorf("the story is\n%s\nwant\n%s\nof\n%s", strings.Join(story, "\n"), strings.Join(want, "\n"), s.logged())
		}
	})
}
