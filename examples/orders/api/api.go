package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/twicehq/twice/examples/orders/service"
)

// Orders is the service that the routes call; *service.Orders is it.
type Orders interface {
	Place(ctx context.Context, r service.Request) (_ service.Order, created bool, _ error)
	Get(ctx context.Context, id string) (service.Order, error)
}

// Config of the API. All fields are required.
type Config struct {
	Orders Orders
	Live   func(ctx context.Context) error // nil while the process is worth keeping
	Logger *slog.Logger
}

// New gives the API. It is safe for concurrent use.
func New(cfg Config) http.Handler {
	a := &api{cfg}
	mux := http.NewServeMux()
	mux.HandleFunc("/orders", only(http.MethodPost, a.placeOrder))
	mux.HandleFunc("/orders/{id}", only(http.MethodGet, a.getOrder))
	mux.HandleFunc("/livez", only(http.MethodGet, a.livez))
	mux.HandleFunc("/", answer(func(http.ResponseWriter, *http.Request) error {
		return &problem{status: http.StatusNotFound, Code: "not_found", What: "there is nothing at this path", Remedy: "use POST /orders or GET /orders/{id}"}
	}))
	return identified(cfg.Logger, logged(recovered(mux)))
}

type api struct{ Config }

// only answers another method than the one named with 405.
func only(method string, handle func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return answer(func(w http.ResponseWriter, r *http.Request) error {
		if r.Method == method || r.Method == http.MethodHead && method == http.MethodGet {
			return handle(w, r)
		}
		w.Header().Set("Allow", method)
		return &problem{status: http.StatusMethodNotAllowed, Code: "method_not_allowed", What: "the path does not take " + r.Method, Remedy: "use " + method}
	})
}

func (a *api) livez(w http.ResponseWriter, r *http.Request) error {
	if err := a.Live(r.Context()); err != nil {
		return &problem{status: http.StatusServiceUnavailable, Code: "not_live", What: "the process is not well", Why: err.Error(), Remedy: "start it again"}
	}
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}
