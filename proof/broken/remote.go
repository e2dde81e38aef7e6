package broken

import (
	"net/http"
	"sync"
)

// remote is the services outside. They do what they are asked, again for each request, but for one whose key they know.
type remote struct {
	mu   sync.Mutex
	made map[string]int  // by service and order
	keys map[string]bool // by service and key
}

func newRemote() *remote { return &remote{made: map[string]int{}, keys: map[string]bool{}} }

// ServeHTTP implements [http.Handler].
func (r *remote) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	service := in.Host + in.URL.Path
	query := in.URL.Query()
	if in.Method == http.MethodGet {
		if r.made[service+" "+query.Get("order")] == 0 && !r.keys[service+" "+query.Get("key")] {
			out.WriteHeader(http.StatusNotFound)
		}
		return
	}
	if key := in.Header.Get("Idempotency-Key"); key != "" {
		if r.keys[service+" "+key] {
			return
		}
		r.keys[service+" "+key] = true
	}
	r.made[service+" "+query.Get("order")]++
	out.WriteHeader(http.StatusCreated)
}

func (r *remote) look() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]int{}
	for what, n := range r.made {
		seen[what] = n
	}
	return seen
}
