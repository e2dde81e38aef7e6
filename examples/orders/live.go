package orders

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/twicehq/twice/worker"
)

// Health is what /livez of a process without the API answers: 200 while the process is worth keeping, else
// 503.
type Health struct {
	Status string        `json:"status"` // ok, not_live
	Worker *WorkerHealth `json:"worker,omitempty"`
}

// WorkerHealth is how its worker does.
type WorkerHealth struct {
	Slots          int     `json:"slots"`
	Free           int     `json:"free"`
	Busy           int     `json:"busy"`
	Deaf           int     `json:"deaf"`
	Polling        bool    `json:"polling"`
	Draining       bool    `json:"draining"`
	Stalled        bool    `json:"stalled"`
	PollAgeSeconds float64 `json:"poll_age_seconds"`
}

// livez answers GET /livez. w is nil in a process without a worker, which lives as long as it answers.
func livez(w *worker.Worker) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(out http.ResponseWriter, _ *http.Request) {
		now, status := Health{Status: "ok"}, http.StatusOK
		if w != nil {
			h := w.Health()
			now.Worker = &WorkerHealth{h.Slots, h.Free, h.Busy, h.Deaf, h.Polling, h.Draining, h.Stalled, h.PollAge(time.Now()).Seconds()}
			if !h.Live() {
				now.Status, status = "not_live", http.StatusServiceUnavailable
			}
		}
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(status)
		_ = json.NewEncoder(out).Encode(now) // whoever asked may have gone
	})
	return mux
}
