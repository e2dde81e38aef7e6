package suite

import (
	"context"

	"github.com/twicehq/twice/internal/loadtest"
)

// Scenario is one question to a queue, with what the honest limit answers. Its store is opened fresh for every run.
type Scenario struct {
	loadtest.Scenario
	Limit  func(context.Context, loadtest.Env, Bare) (loadtest.Values, error)          // nil: it has no answer
	Static func(context.Context, Config, *stores, Contestant) (loadtest.Values, error) // instead of Run
}

// Scenarios are those of stores that are files, in the order in which they run.
func Scenarios() []Scenario { return append(common(), effect, bytes) }

// InMemory are those of stores that are in a server's memory.
func InMemory() []Scenario { return append(common(), memory) }

func common() []Scenario {
	return []Scenario{
		{Scenario: loadtest.Enqueue(1, false), Limit: limitEnqueue(1)},
		{Scenario: loadtest.Enqueue(64, false), Limit: limitEnqueue(64)},
		{Scenario: loadtest.Enqueue(64, true), Limit: limitEnqueue(64)},
		{Scenario: loadtest.Bulk(false), Limit: limitEnqueue(loadtest.Chunk)},
		{Scenario: loadtest.Bulk(true), Limit: limitEnqueue(loadtest.Chunk)},
		{Scenario: loadtest.Drain(false), Limit: limitDrain},
		{Scenario: loadtest.Drain(true), Limit: limitDrain},
		{Scenario: loadtest.Both(), Limit: limitBoth},
		{Scenario: loadtest.Pickup()},
	}
}
