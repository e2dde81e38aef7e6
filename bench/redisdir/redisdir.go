// Package redisdir runs a redis-server on a peer's directory, so that copying the directory copies the store.
package redisdir

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/redistest/server"
)

// Durability says what a server of that persistence keeps, for a report.
func Durability(p server.Persistence) string {
	return map[server.Persistence]string{
		server.None:     "none: memory only",
		server.EverySec: "fsync once a second (AOF everysec)",
		server.Always:   "fsync before every answer (AOF always)",
	}[p]
}

// Threads are the values of GOMAXPROCS that contestants written in Go try: all cores, and one less for the server to have.
func Threads() []int {
	all := runtime.NumCPU()
	return []int{max(1, all-1), all}
}

// Server is a server with one connection for questions.
type Server struct {
	*server.Server
	persistence server.Persistence
	mode        peer.Mode

	mu   sync.Mutex
	conn *server.Conn
}

// Open starts a server on what dir holds. While it is filled it keeps nothing on the disk until Close.
func Open(ctx context.Context, dir string, p server.Persistence, mode peer.Mode) (*Server, error) {
	o := server.Options{Dir: dir, Config: []string{"auto-aof-rewrite-percentage 0"}}
	if mode == peer.Measured {
		o.Persistence = p
	}
	s, err := server.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	conn, err := server.Dial(s.Addr())
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Server{Server: s, persistence: p, mode: mode, conn: conn}, nil
}

// Ask sends a command on the connection for questions.
func (s *Server) Ask(args ...string) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn.Do(args...)
}

// Sum adds up the numbers that commands answer.
func (s *Server) Sum(commands ...[]string) (sum int64, err error) {
	for _, c := range commands {
		v, err := s.Ask(c...)
		if err != nil {
			return 0, err
		}
		n, ok := v.(int64)
		if !ok {
			return 0, fmt.Errorf("%s answered %v", c[0], v)
		}
		sum += n
	}
	return sum, nil
}

// Weight is the memory that the server uses for its data and its connections.
func (s *Server) Weight(context.Context) (int64, error) {
	info, err := s.Ask("INFO", "memory")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(server.Field(server.Text(info), "used_memory"), 10, 64)
}

// PIDs is the server's process.
func (s *Server) PIDs() []int { return []int{s.PID()} }

// Close ends the server. What was filled is on the disk then, as a server of its persistence loads it.
func (s *Server) Close() (err error) {
	if s.mode == peer.Filling {
		err = s.keep()
	}
	return errors.Join(err, s.conn.Close(), s.Server.Close())
}

func (s *Server) keep() error {
	if s.persistence == server.None {
		if _, err := s.Ask("CONFIG", "SET", "save", "1 1"); err != nil { // or the end of it would save nothing
			return err
		}
		return s.Stop() // it answers no question while it saves
	}
	if _, err := s.Ask("CONFIG", "SET", "appendonly", "yes"); err != nil {
		return err
	}
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		v, err := s.Ask("INFO", "persistence")
		if err != nil {
			return err
		}
		info := server.Text(v)
		if server.Field(info, "aof_rewrite_in_progress") != "0" || server.Field(info, "aof_rewrite_scheduled") != "0" {
			continue
		}
		if status := server.Field(info, "aof_last_bgrewrite_status"); status != "ok" {
			return fmt.Errorf("redis-server wrote no append-only file: %s", status)
		}
		return s.Stop()
	}
	return errors.New("redis-server did not write its append-only file within 5 minutes")
}
