// Package rawredis is the honest limit of Redis: what a server does in scripts with no more than the promises' bare costs.
// There is no worker, no policy and no answer to anybody: a few loops insert, claim and finish jobs in batches of a
// chosen size, through rueidis.
package rawredis

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/redisdir"
	"github.com/twicehq/twice/bench/suite"
	"github.com/twicehq/twice/internal/redistest/server"
)

// Info says what the limit of a layout is.
func Info(l Layout, p server.Persistence) peer.Info {
	name := "limit"
	if l != Plain {
		name += "-" + string(l)
	}
	return peer.Info{
		Name: name, Reference: true, Durability: redisdir.Durability(p), Threads: redisdir.Threads(),
		About: "bare scripts on Redis through rueidis with the promises' bare costs, " + string(l) + " layout",
	}
}

// Store is one server and its client.
type Store struct {
	*redisdir.Server
	client     rueidis.Client
	add, cycle *rueidis.Lua
}

// Open starts a server in dir.
func Open(ctx context.Context, dir string, l Layout, p server.Persistence, mode peer.Mode) (*Store, error) {
	s, err := redisdir.Open(ctx, dir, p, mode)
	if err != nil {
		return nil, err
	}
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{s.Addr()}, ForceSingleClient: true, DisableCache: true, PipelineMultiplex: 1,
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	x := layouts[l]
	return &Store{s, client, rueidis.NewLuaScript(x.add), rueidis.NewLuaScript(x.cycle)}, nil
}

// Close ends the server, whose directory keeps what was filled.
func (s *Store) Close() error {
	s.client.Close()
	return s.Server.Close()
}

const (
	prefix      = "{q}"
	hot, cold   = "0", "9e15" // places: the scores of what is due now and never
	now, during = "1", "1e15" // what is due by now; a leased one is due when its lease ends
)

// EnqueueBulk inserts jobs for the workers in one script.
func (s *Store) EnqueueBulk(ctx context.Context, ids []int64) error { return s.put(ctx, hot, ids) }

// EnqueueCold inserts jobs at rest in one script.
func (s *Store) EnqueueCold(ctx context.Context, ids []int64) error { return s.put(ctx, cold, ids) }

func (s *Store) put(ctx context.Context, place string, ids []int64) error {
	args := make([]string, 1, 1+2*len(ids))
	args[0] = place
	for _, n := range ids {
		id := sum(n)
		args = append(args, string(id[:16]), string(record(n, id[16:24])))
	}
	known, err := s.add.Exec(ctx, s.client, []string{prefix}, args).AsInt64()
	if err == nil && known > 0 {
		err = fmt.Errorf("rawredis: %d jobs are there already", known)
	}
	return err
}

// Lease is what a settlement is compared with.
type Lease struct{ ID, Token string }

// Cycle ends jobs and claims up to n others, in one script.
func (s *Store) Cycle(ctx context.Context, ended []Lease, n int) ([]Lease, error) {
	args := make([]string, 4, 4+2*len(ended))
	args[0], args[1], args[2], args[3] = now, during, strconv.Itoa(n), strconv.Itoa(len(ended))
	for _, l := range ended {
		args = append(args, l.ID, l.Token)
	}
	answer, err := s.cycle.Exec(ctx, s.client, []string{prefix}, args).ToArray()
	if err != nil {
		return nil, err
	}
	lost, err := answer[0].AsInt64()
	if err == nil && lost > 0 {
		err = fmt.Errorf("rawredis: %d leases are lost", lost)
	}
	if err != nil {
		return nil, err
	}
	token, err := answer[1].AsInt64()
	if err != nil {
		return nil, err
	}
	ids, err := answer[2].AsStrSlice()
	if err != nil {
		return nil, err
	}
	records, err := answer[3].AsStrSlice()
	if err == nil && len(records) != len(ids) {
		err = fmt.Errorf("rawredis: %d records of %d jobs", len(records), len(ids))
	}
	leases := make([]Lease, len(ids))
	for i, id := range ids {
		leases[i] = Lease{id, strconv.FormatInt(token+int64(i)+1, 10)}
	}
	return leases, err
}

// Hands implements [suite.Bare]: several batches are under way where there are enough rows, so that the server works on
// one while another is made.
func (s *Store) Hands(rows int) []suite.Hand {
	switch {
	case rows >= 500:
		return s.Loops(4)
	case rows >= 16:
		return s.Loops(2)
	}
	return s.Loops(1)
}

// Loops are so many loops of scripts.
func (s *Store) Loops(n int) []suite.Hand {
	hands := make([]suite.Hand, n)
	for i := range hands {
		hands[i] = &hand{Store: s}
	}
	return hands
}

// hand is one loop.
type hand struct {
	*Store
	held []Lease
}

// Cycle implements [suite.Hand]; the insert and the rest are two scripts in one round trip.
func (h *hand) Cycle(ctx context.Context, ids []int64, n int) (int, error) {
	stored := make(chan error, 1)
	if len(ids) > 0 {
		go func() { stored <- h.EnqueueBulk(ctx, ids) }()
	} else {
		stored <- nil
	}
	held, err := h.Store.Cycle(ctx, h.held, n)
	h.held = held
	return len(held), errors.Join(err, <-stored)
}

// sum is 16 bytes of id, as random as a real one, and the fingerprint behind them.
func sum(n int64) [sha256.Size]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
}
