package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Server is the gateway. It is an http.Handler, safe for concurrent use.
type Server struct {
	cfg    Config
	mux    *http.ServeMux
	closed chan struct{}

	mu     sync.Mutex // guards what is below
	book   book
	told   directives
	held   map[*heldCall]struct{}
	counts Counts
	shut   bool
}

// errGone and errClosed end a call whose caller went away, or whose server closes.
var (
	errGone   = unavailable(CodeUnavailable, "the caller went away")
	errClosed = unavailable(CodeUnavailable, "the gateway is closing; ask about the key before anything else")
)

// New makes a gateway and reads Config.File. It fails on a Config that cannot
// hold (every fault at once) and on a file that cannot be opened or read.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("gateway: new: %w", err)
	}
	s := &Server{cfg: cfg, mux: http.NewServeMux(), closed: make(chan struct{}), held: map[*heldCall]struct{}{}}
	s.book = book{keyLife: cfg.KeyLife, max: cfg.MaxCharges, byKey: map[string]int{}}
	if cfg.File != "" {
		if err := s.load(); err != nil {
			return nil, fmt.Errorf("gateway: new: %w", err)
		}
	}
	s.mux.HandleFunc("POST /charges", answer(s.postCharge))
	s.mux.HandleFunc("GET /charges", answer(s.getCharges))
	s.mux.HandleFunc("POST /control", answer(s.postControl))
	s.mux.HandleFunc("GET /control", answer(s.getControl))
	s.mux.HandleFunc("POST /release", answer(s.postRelease))
	s.mux.HandleFunc("GET /livez", answer(s.getLivez))
	return s, nil
}

// load takes the charges of the file into the book.
func (s *Server) load() error {
	f, err := openFile(s.cfg.File, func(c Charge) error {
		if want := chargeID(len(s.book.charges) + 1); c.ID != want {
			return fmt.Errorf("charge %q where %q was due; repair the file or move it away", c.ID, want)
		}
		// At the moment it was made: so a key whose charge was made anew after
		// KeyLife stands for the later charge, as it did then.
		s.book.keep(c, c.CreatedAt)
		return nil
	})
	s.book.file = f
	return err
}

// now is the gateway's clock to the microsecond, which is what a charge keeps: so
// that a key is never remembered by one reading of a moment and not by another.
func (s *Server) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Microsecond) }

// ServeHTTP answers one request. It ends a call without an answer by the panic
// http.ErrAbortHandler, which net/http turns into a closed connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close ends held and delayed calls with 503, refuses charges from then on, and
// closes the file. Call it before http.Server.Shutdown, which waits for calls.
// A second Close does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return nil
	}
	s.shut = true
	close(s.closed)
	if s.book.file == nil {
		return nil
	}
	if err := s.book.file.close(); err != nil {
		return errors.Join(errors.New("gateway: close"), err)
	}
	return nil
}
