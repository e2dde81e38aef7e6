package httpapi

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/twicehq/twice/queue"
)

// guard refuses requests that a page of another site, or another machine, may have caused.
type guard struct {
	hosts  []string // those allowed; none: as open says
	open   bool     // there are tokens: no browser sends one by itself, so any host's name will do
	origin *http.CrossOriginProtection
}

func newGuard(cfg Config) guard {
	return guard{hosts: cfg.Hosts, open: cfg.Tokens.Any(), origin: http.NewCrossOriginProtection()}
}

// check fails with ErrForbidden.
func (g guard) check(r *http.Request) error {
	if !g.host(r.Host) {
		return reject(http.StatusMisdirectedRequest, ErrForbidden, cut(r.Host, 100), "the API does not serve this host's name",
			"address it as localhost or 127.0.0.1, or have the name added to its hosts")
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && !g.open && !local.IP.IsLoopback() {
		return reject(http.StatusForbidden, ErrForbidden, local.String(), "without tokens the API serves this machine only", "give it tokens")
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" || g.origin.Check(r) != nil {
		return reject(http.StatusForbidden, ErrForbidden, "", "a page of another site made this request", "call the API from a program, or from a page that its own server gives")
	}
	return nil
}

// host bars rebinding: a page whose name was pointed at this machine sends that name.
func (g guard) host(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if len(g.hosts) > 0 {
		return slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(h, name) })
	}
	if g.open || name == "localhost" {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// holder says who makes the request.
func (s *Server) holder(r *http.Request) (Who, error) {
	if !s.cfg.Tokens.Any() {
		return Who{Role: Operator}, nil
	}
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if who, ok := s.cfg.Tokens.Holder(secret); ok && strings.EqualFold(scheme, "Bearer") && len(r.Header.Values("Authorization")) == 1 {
		return who, nil
	}
	return Who{}, &queue.Error{Op: "request", Subject: cut(r.URL.Path, 200), Reason: ErrUnauthenticated}
}

// allowed fails with ErrForbidden where who may not use the route.
func allowed(who Who, rt *route) error {
	if who.Role >= rt.role {
		return nil
	}
	return &queue.Error{Op: rt.name, Subject: who.Name, Reason: ErrForbidden, Detail: "it takes an " + rt.role.String() + ", and this token is a " + who.Role.String() + "'s"}
}
