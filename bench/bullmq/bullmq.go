// Package bullmq adapts BullMQ on a redis-server of its own. Node runs the scenarios (main.js): a call from here to there
// for each job would be what is measured.
package bullmq

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/redisdir"
	"github.com/twicehq/twice/bench/suite"
	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/internal/redistest/server"
)

//go:embed main.js
var program string

// Contestant is BullMQ on a server of that persistence.
func Contestant(p server.Persistence) suite.Contestant {
	return suite.Foreign(peer.Info{
		Name:       "bullmq",
		About:      "BullMQ " + version() + " on Redis, Node " + node(),
		Durability: redisdir.Durability(p),
		Workers:    []int{50, 500},
	}, func(ctx context.Context, dir string, mode peer.Mode) (suite.Program, error) {
		return open(ctx, dir, p, mode)
	})
}

// queue is a server and the program that uses it.
type queue struct {
	*redisdir.Server
	cmd *exec.Cmd
	in  io.WriteCloser

	mu  sync.Mutex
	out *bufio.Reader
}

func open(ctx context.Context, dir string, p server.Persistence, mode peer.Mode) (*queue, error) {
	modules, err := Install(ctx)
	if err != nil {
		return nil, err
	}
	s, err := redisdir.Open(ctx, dir, p, mode)
	if err != nil {
		return nil, err
	}
	q := &queue{Server: s, cmd: exec.Command("node", "-e", program, "bench", strconv.Itoa(s.Port()))}
	q.cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	q.cmd.Stderr = os.Stderr
	q.in, err = q.cmd.StdinPipe()
	if err == nil {
		var out io.Reader
		out, err = q.cmd.StdoutPipe()
		q.out = bufio.NewReader(out)
	}
	if err == nil {
		err = q.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return q, nil
}

// request is what main.js reads, its times in milliseconds.
type request struct {
	Do        string  `json:"do"`
	Queue     string  `json:"queue,omitempty"`
	First     int64   `json:"first"` // the first job id to use
	N         int     `json:"n,omitempty"`
	Producers int     `json:"producers,omitempty"`
	Workers   int     `json:"workers,omitempty"`
	Backlog   int     `json:"backlog,omitempty"`
	Samples   int     `json:"samples,omitempty"`
	Length    float64 `json:"length,omitempty"`
	Cap       float64 `json:"cap,omitempty"`
}

// ask sends a request and waits for its answer; when ctx ends first, the program is ended.
func (q *queue) ask(ctx context.Context, r request) (loadtest.Values, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer context.AfterFunc(ctx, func() { q.cmd.Process.Kill() })()
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := q.in.Write(append(line, '\n')); err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	line, err = q.out.ReadBytes('\n')
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("bullmq: the program ended: %w", err))
	}
	var a struct {
		Values loadtest.Values
		Error  string
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, fmt.Errorf("bullmq: %q: %w", line, err)
	}
	if a.Error != "" {
		return nil, errors.New("bullmq: " + a.Error)
	}
	return a.Values, nil
}

// span is how many job ids a scenario may use.
const span = 100_000_000

// Measure implements [suite.Program].
func (q *queue) Measure(ctx context.Context, scenario string, e loadtest.Env) (loadtest.Values, error) {
	r := request{
		First: e.IDs.Add(span) - span, Workers: e.Workers, Backlog: e.Backlog, Samples: e.Samples,
		Length: e.Length.Seconds() * 1000, Cap: e.Cap.Seconds() * 1000,
	}
	name, count, _ := strings.Cut(strings.TrimSuffix(scenario, "_rest"), "_")
	r.Do = name
	r.Producers, _ = strconv.Atoi(count)
	switch name {
	case "enqueue", "bulk", "drain", "both":
	case "pickup":
		r.Workers = 10
	default:
		return nil, loadtest.ErrCannot
	}
	return q.ask(ctx, r)
}

// EnqueueBulk implements [loadtest.Bulker]; ids follow one another.
func (q *queue) EnqueueBulk(ctx context.Context, ids []int64) error {
	return q.fill(ctx, "work", ids)
}

// EnqueueCold implements [loadtest.Colder].
func (q *queue) EnqueueCold(ctx context.Context, ids []int64) error {
	return q.fill(ctx, "rest", ids)
}

func (q *queue) fill(ctx context.Context, name string, ids []int64) error {
	_, err := q.ask(ctx, request{Do: "fill", Queue: name, First: ids[0], N: len(ids)})
	return err
}

// PIDs are the server's and the program's.
func (q *queue) PIDs() []int { return append(q.Server.PIDs(), q.cmd.Process.Pid) }

func (q *queue) Close() error {
	q.in.Close() // the program ends then
	return errors.Join(q.cmd.Wait(), q.Server.Close())
}
