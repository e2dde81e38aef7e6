// Package redistest gives tests real redis-server processes on loopback: single ones, a cluster whose slots move under
// load, and a proxy that breaks the connection to one. Each ends with its test, and on Linux with the test's process.
package redistest

import (
	"os"
	"testing"

	"github.com/twicehq/twice/internal/redistest/server"
)

// Options say how a server runs; where Dir is empty it is a directory of the test.
type Options = server.Options

// Watched is the name of the master that a sentinel watches.
const Watched = server.Watched

// What Options.Persistence may be.
const (
	None     = server.None
	EverySec = server.EverySec
	Always   = server.Always
)

// Need skips the test, loudly, where there is no redis-server of version 6.2 or later; under CI that is a failure.
// `make test` installs one before it runs any test.
func Need(t testing.TB) {
	t.Helper()
	_, _, err := server.Find()
	if err == nil {
		return
	}
	const remedy = "install redis-server, or run `go run ./internal/install` as root on Debian or Ubuntu"
	if os.Getenv("CI") == "true" {
		t.Fatalf("%v: %s", err, remedy)
	}
	t.Skipf("SKIPPED, NOTHING OF REDIS IS TESTED: %v: %s", err, remedy)
}

// Server is one redis-server. Its methods may be called from any goroutine; what fails fails the test.
type Server struct {
	*server.Server
	t testing.TB
}

// Start starts a server that answers when Start returns and is killed when the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	Need(t)
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s, err := server.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Server{s, t}
}

// Kill ends the server as a crash would (SIGKILL).
func (s *Server) Kill() { s.t.Helper(); s.check(s.Server.Kill()) }

// Stop ends the server as an operator would (SIGTERM).
func (s *Server) Stop() { s.t.Helper(); s.check(s.Server.Stop()) }

// Restart starts the server again with its port and its directory, killing it first where it runs; it answers then.
func (s *Server) Restart() { s.t.Helper(); s.check(s.Server.Restart(s.t.Context())) }

// Freeze stops the server's threads (SIGSTOP): connections stay and nothing answers.
func (s *Server) Freeze() { s.t.Helper(); s.check(s.Server.Freeze()) }

// Thaw lets a frozen server go on (SIGCONT).
func (s *Server) Thaw() { s.t.Helper(); s.check(s.Server.Thaw()) }

// Must is Command for what cannot fail.
func (s *Server) Must(args ...string) string {
	s.t.Helper()
	text, err := s.Command(args...)
	s.check(err)
	return text
}

func (s *Server) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Error(err)
	}
}
