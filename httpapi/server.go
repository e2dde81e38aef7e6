package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Server is the API of one engine. It is safe for concurrent use.
type Server struct {
	engine     queue.Engine
	cfg        Config
	store      ledger.Store // nil: none
	kinds      map[string]Kind
	guard      guard
	mux        *http.ServeMux
	inFlight   chan struct{}
	scans      chan struct{}
	operations *operations
	health     map[string]*probe
}

// New makes the API of engine. It fails with ErrInvalid, naming everything that is wrong with cfg at once. It opens
// nothing: mount it, or call Serve; and Close it when done. The engine stays the caller's.
func New(engine queue.Engine, cfg Config) (*Server, error) {
	if engine == nil {
		return nil, invalid("configure", "API", "it has no engine", "open one first")
	}
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{engine: engine, cfg: cfg, store: cfg.Ledger, kinds: map[string]Kind{}, guard: newGuard(cfg), mux: http.NewServeMux(),
		inFlight: make(chan struct{}, cfg.MaxInFlight), scans: make(chan struct{}, cfg.MaxScans), operations: newOperations(cfg.MaxOperations)}
	if keeps, ok := queue.As[interface{ Ledger() ledger.Store }](engine); ok && s.store == nil {
		s.store = keeps.Ledger()
	}
	for _, k := range cfg.Kinds {
		s.kinds[k.Name] = k
	}
	s.health = s.probes()
	s.mount(table)
	return s, nil
}

// Close stops operations that run and waits until they have ended, or until ctx ends: then it fails with the
// context's error. What they have changed stays changed.
func (s *Server) Close(ctx context.Context) error { return s.operations.close(ctx) }

// mount gives each path its routes.
func (s *Server) mount(routes []route) {
	paths := map[string]map[string]*route{}
	for i := range routes {
		rt := &routes[i]
		if paths[rt.path] == nil {
			paths[rt.path] = map[string]*route{}
		}
		paths[rt.path][rt.method] = rt
	}
	for path, methods := range paths {
		s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.dispatch(w, r, methods) })
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, nil, reject(http.StatusNotFound, queue.ErrNotFound, cut(r.URL.Path, 200), "there is nothing at this path", "/api/openapi.json describes every path"))
	})
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = identified(w, r)
	defer s.recovered(w, r)
	plainly(w.Header())
	if err := s.guard.check(r); err != nil {
		s.fail(w, r, nil, err)
		return
	}
	s.route(w, r)
}

// route answers a request that the guard has let in.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		if _, err := s.holder(r); err != nil { // before anything is told of what there is
			s.fail(w, r, nil, err)
			return
		}
	}
	s.mux.ServeHTTP(w, r)
}

// dispatch finds the route of a method at a path, and answers it.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request, methods map[string]*route) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt := methods[method]
	if rt == nil {
		allow := methodsOf(methods)
		w.Header().Set("Allow", allow)
		s.fail(w, r, nil, reject(http.StatusMethodNotAllowed, queue.ErrInvalid, cut(r.URL.Path, 200), "it does not take "+cut(r.Method, 20), "use "+allow))
		return
	}
	c, err := s.ask(w, r, rt)
	if err != nil {
		s.fail(w, r, rt, err)
		return
	}
	answer, err := s.carryOut(r, c)
	if err != nil {
		s.fail(w, r, rt, err)
		return
	}
	s.told(r, c, answer)
	s.answer(w, r, rt, answer)
}

// ask checks all of a request before anything is done for it.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, rt *route) (*call, error) {
	c := &call{route: rt}
	var err error
	if rt.role > Nobody {
		if c.who, err = s.holder(r); err != nil {
			return nil, err
		}
		if err := allowed(c.who, rt); err != nil {
			return nil, err
		}
	}
	if c.values, err = rt.arguments(r); err != nil {
		return nil, err
	}
	if c.leave, err = s.enter(rt); err != nil {
		return nil, err
	}
	if rt.body != nil {
		if c.raw, err = s.body(w, r); err != nil {
			c.leave()
		}
	}
	return c, err
}
