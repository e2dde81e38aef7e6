package httpapi

import (
	"context"
	"maps"
	"slices"

	"github.com/twicehq/twice/queue"
)

// Abilities says what the engine behind the API is, promises and can do.
type Abilities struct {
	Engine           string    `json:"engine"`
	Durability       string    `json:"durability"` // what a reported success survives, in words
	Durable          bool      `json:"durable"`    // it survives the end of every process
	MaxPayload       int       `json:"max_payload_bytes"`
	UniqueForSeconds float64   `json:"unique_for_seconds"` // how long the id of a job that is done or cancelled is known
	Kinds            []string  `json:"kinds"`              // whose jobs the API makes of arguments alone
	KnownOnly        bool      `json:"known_only"`         // it makes no others
	You              string    `json:"you,omitempty"`      // the token's holder
	Role             string    `json:"role"`               // viewer or operator: what the token allows
	Abilities        []Ability `json:"abilities"`
}

// Ability is one thing that an engine, or the server, can do or not. What it cannot is answered 501.
type Ability struct {
	Name string `json:"name"`
	Has  bool   `json:"has"`
	Does string `json:"does"`
}

// abilities are those that routes need, by name.
var abilities = []struct {
	name, does string
	has        func(s *Server) bool
}{
	{"inspect", "look jobs and queues up", has[queue.Inspector]},
	{"operate", "cancel, redrive, discard and resolve", has[queue.Operator]},
	{"pause", "pause and resume queues", has[queue.Pauser]},
	{"presence", "tell which workers live", has[queue.Presence]},
	{"schedules", "keep cron entries", has[queue.Schedules]},
	{"audit", "count by scan, and tell who changed what", has[queue.Auditor]},
	{"ledger", "seal the effects of jobs that are cancelled, and take answers to doubts", func(s *Server) bool { return s.store != nil }},
	{"verdicts", "say what is the matter with a queue", func(s *Server) bool { return s.cfg.Findings != nil }},
}

func has[C any](s *Server) bool {
	_, ok := queue.As[C](s.engine)
	return ok
}

func (s *Server) getAbilities(_ context.Context, c *call) (Abilities, error) {
	t := s.engine.Traits()
	v := Abilities{Engine: t.Name, Durability: t.Durability, Durable: t.Durable, MaxPayload: t.MaxPayload, UniqueForSeconds: t.UniqueFor.Seconds(),
		Kinds: append([]string{}, slices.Sorted(maps.Keys(s.kinds))...), KnownOnly: s.cfg.KnownOnly, You: c.who.Name, Role: c.who.Role.String()}
	for _, a := range abilities {
		v.Abilities = append(v.Abilities, Ability{a.name, a.has(s), a.does})
	}
	return v, nil
}
