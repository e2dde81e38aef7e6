package suite

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
)

// Scenario is one question to a queue. Its store is opened fresh for every run.
type Scenario struct {
	Name    string
	What    string
	Figures []Figure // the first one chooses the best worker count
	Rest    bool     // the store holds Config.Rest jobs that no worker touches
	Waiting bool     // the store holds Config.Backlog jobs for the workers
	Sweep   bool     // run with each worker count of the peer

	Run    func(context.Context, Env, peer.Peer) (Values, error)
	Limit  func(context.Context, Env, *rawsql.Store) (Values, error) // nil: plain SQL has no answer
	Static func(context.Context, Config, *stores, Contestant) (Values, error)
}

// Figure is one number that a scenario gives.
type Figure struct {
	Name string `json:"figure"`
	Unit string `json:"unit"`
	More bool   `json:"more_is_better"`
}

// Values are the numbers of one run, by figure.
type Values map[string]float64

// Env is what a run may use.
type Env struct {
	Config
	Workers int
	ids     *atomic.Int64
}

// next gives n job ids never given before.
func (e Env) next(n int) []int64 {
	last := e.ids.Add(int64(n))
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = last - int64(n) + int64(i) + 1
	}
	return ids
}

// errCannot means that a contestant does not offer what a scenario needs.
var errCannot = errors.New("not offered")

// Scenarios are all of them, in the order in which they run.
func Scenarios() []Scenario {
	return []Scenario{
		enqueue(1, false), enqueue(64, false), enqueue(64, true),
		bulk(false), bulk(true),
		drain(false), drain(true),
		both, pickup, effect, bytes,
	}
}

const perSecond = "jobs/s"

var rate = Figure{perSecond, "1/s", true}
