// Package server starts real redis-server processes on loopback, for tests (by package redistest) and for the benches.
// None of them outlives the process that started it, on Linux not even one that is killed.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Persistence is what a server keeps of its data on the disk.
type Persistence int

const (
	None     Persistence = iota // nothing: a restart begins empty, unless Options.Dir holds a dump
	EverySec                    // an append-only file, synced once a second
	Always                      // an append-only file, synced before each answer
)

func (p Persistence) String() string { return [...]string{"none", "everysec", "always"}[p] }

// Options say how a server runs; the zero value is one without persistence and without bounds.
type Options struct {
	Dir         string // its data, configuration and log, kept over restarts; it must be there
	Persistence Persistence
	MaxMemory   string   // such as "64mb"; "": no bound
	Policy      string   // maxmemory-policy; "": noeviction
	ReplicaOf   *Server  // it starts as a replica of that one, and is ready once it has caught up
	Watches     *Server  // it is a sentinel of that master, known as [Watched], and is ready once it knows its replicas
	Config      []string // further lines of redis.conf
}

// Watched is the name of the master that a sentinel watches.
const Watched = "watched"

// Server is one process of redis-server, which may be stopped and started again. All methods may be called concurrently.
type Server struct {
	options Options
	path    string
	port    int
	held    net.PacketConn // keeps the port while the server is down

	mu      sync.Mutex
	process *process
}

// Start starts a server and returns once it answers.
func Start(ctx context.Context, o Options) (*Server, error) {
	path, _, err := Find()
	if err != nil {
		return nil, err
	}
	for range 5 { // somebody who does not ask here may take the port meanwhile
		s := &Server{options: o, path: path}
		if s.port, s.held, err = reserve(); err != nil {
			return nil, err
		}
		if err = s.configure(); err == nil {
			err = s.Restart(ctx)
		}
		if err == nil && o.ReplicaOf != nil {
			err = s.await(ctx, "catch up", func() bool { return s.linked() && o.ReplicaOf.counts(s.port) })
		}
		if err == nil && o.Watches != nil {
			err = s.await(ctx, "find the replicas", func() bool { return s.knows(o.Watches) })
		}
		if err == nil {
			return s, nil
		}
		err = errors.Join(err, s.Close())
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return nil, err
}

var errPortTaken = errors.New("the port was taken meanwhile")

func (s *Server) file(name string) string { return filepath.Join(s.options.Dir, name) }

// configure writes redis.conf.
func (s *Server) configure() error {
	o := s.options
	lines := []string{
		"bind 127.0.0.1", fmt.Sprint("port ", s.port), "daemonize no", `save ""`, "repl-diskless-sync-delay 0",
		"dir " + quoted(o.Dir), "logfile " + quoted(s.file("redis.log")),
	}
	if o.Persistence != None {
		lines = append(lines, "appendonly yes", "appendfsync "+o.Persistence.String())
	}
	if o.MaxMemory != "" {
		lines = append(lines, "maxmemory "+o.MaxMemory)
	}
	if o.Policy != "" {
		lines = append(lines, "maxmemory-policy "+o.Policy)
	}
	if o.ReplicaOf != nil {
		lines = append(lines, fmt.Sprint("replicaof 127.0.0.1 ", o.ReplicaOf.port))
	}
	if o.Watches != nil {
		lines = []string{"bind 127.0.0.1", fmt.Sprint("port ", s.port), "daemonize no", "dir " + quoted(o.Dir), "logfile " + quoted(s.file("redis.log")),
			fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d 1", Watched, o.Watches.port),
			"sentinel down-after-milliseconds " + Watched + " 500", "sentinel failover-timeout " + Watched + " 3000"}
	}
	lines = append(lines, o.Config...)
	return os.WriteFile(s.file("redis.conf"), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// Restart starts the server again with its port, its directory and its configuration, killing it first where it runs,
// and returns once it has loaded its data and answers.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.Kill(); err != nil {
		return err
	}
	s.mu.Lock()
	args := []string{s.file("redis.conf")}
	if s.options.Watches != nil {
		args = append(args, "--sentinel")
	}
	p, err := start(s.path, args...)
	s.process = p
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.await(ctx, "answer", func() bool { // LOADING is an answer too, but not this one
		pong, err := s.Command("PING")
		return err == nil && pong == "PONG"
	})
}

// linked says whether a replica has its master's data.
func (s *Server) linked() bool {
	info, err := s.Command("INFO", "replication")
	return err == nil && Field(info, "master_link_status") == "up"
}

// counts says whether a master has heard of its replica of that port how far it is: up to a second after the replica
// has its data, and no sooner is it sent what is written, and counted by WAIT.
func (s *Server) counts(port int) bool {
	if _, err := s.Command("PUBLISH", "redistest", "heard"); err != nil { // so that there is something to hear of
		return false
	}
	info, err := s.Command("INFO", "replication")
	_, its, found := strings.Cut(info, fmt.Sprintf(",port=%d,state=online,offset=", port))
	return err == nil && found && !strings.HasPrefix(its, "0,")
}

// knows says whether a sentinel has found as many replicas as the master has.
func (s *Server) knows(master *Server) bool {
	here, errHere := s.Command("INFO", "sentinel")
	there, errThere := master.Command("INFO", "replication")
	return errHere == nil && errThere == nil && strings.Contains(here, "status=ok") && strings.Contains(here, ",slaves="+Field(there, "connected_slaves")+",")
}

// await polls until the server is as wanted.
func (s *Server) await(ctx context.Context, what string, done func() bool) error {
	for end := time.Now().Add(patience); !done(); time.Sleep(2 * time.Millisecond) {
		p := s.child()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p == nil || !p.running():
			log := s.log()
			err := fmt.Errorf("redis server at %s ended, its log says:\n%s", s.Addr(), log)
			if strings.Contains(log, "Address already in use") {
				err = errors.Join(errPortTaken, err)
			}
			return err
		case time.Now().After(end):
			return fmt.Errorf("redis server at %s did not %s within %v, its log says:\n%s", s.Addr(), what, patience, s.log())
		}
	}
	return nil
}

// log is the end of the server's log.
func (s *Server) log() string {
	b, err := os.ReadFile(s.file("redis.log"))
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-2000):])
}

func (s *Server) child() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Addr is the server's host and port.
func (s *Server) Addr() string { return loopback(s.port) }

// Port is the server's port.
func (s *Server) Port() int { return s.port }

// URL names the server and its database 0.
func (s *Server) URL() string { return "redis://" + s.Addr() + "/0" }

// PID is that of the process started last, 0 before the first.
func (s *Server) PID() int {
	if p := s.child(); p != nil {
		return p.Pid
	}
	return 0
}

// Kill ends the server as a crash of it would (SIGKILL; the page cache survives), also a frozen one.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

// Stop ends the server as an operator would (SIGTERM): what an append-only file holds is synced.
func (s *Server) Stop() error { return s.end(syscall.SIGTERM) }

func (s *Server) end(sig syscall.Signal) error {
	if p := s.child(); p != nil {
		return p.end(sig)
	}
	return nil
}

// Freeze stops the server's threads (SIGSTOP): connections stay and nothing answers.
func (s *Server) Freeze() error { return s.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server go on: it carries out what it was sent meanwhile.
func (s *Server) Thaw() error { return s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) error {
	p := s.child()
	if p == nil {
		return os.ErrProcessDone
	}
	return p.Signal(sig)
}

// Close kills the server and gives its port back.
func (s *Server) Close() error { return errors.Join(s.Kill(), s.held.Close()) }

// Do sends one command on a connection of its own and gives the answer as [Conn.Do] does.
func (s *Server) Do(args ...string) (any, error) {
	c, err := Dial(s.Addr())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	v, err := c.Do(args...)
	if err != nil {
		err = fmt.Errorf("%s at %s: %w", args[0], s.Addr(), err)
	}
	return v, err
}

// Command is Do with the answer as [Text]; the error is a [Failure] where the server answered one.
func (s *Server) Command(args ...string) (string, error) {
	v, err := s.Do(args...)
	return Text(v), err
}
