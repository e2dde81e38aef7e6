package main

import (
	"context"

	"github.com/twicehq/twice/bench/asynq"
	"github.com/twicehq/twice/bench/bullmq"
	"github.com/twicehq/twice/bench/nats"
	"github.com/twicehq/twice/bench/ours"
	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawredis"
	"github.com/twicehq/twice/bench/rawsql"
	"github.com/twicehq/twice/bench/river"
	"github.com/twicehq/twice/bench/suite"
	"github.com/twicehq/twice/internal/redistest/server"
)

// set is what is measured together. Ours comes first in it: its name is what -base has by default.
type set struct {
	name      string
	scenarios []suite.Scenario
	groups    []group
}

// group are contestants that are compared with each other: their durability is the same, or is stated.
type group struct {
	name, title string
	contestants []suite.Contestant
}

// sets are all, the default first.
func sets() []set {
	redis := set{name: "redis", scenarios: suite.InMemory()}
	for _, p := range []server.Persistence{server.None, server.EverySec, server.Always} {
		redis.groups = append(redis.groups, group{p.String(), "Redis, append-only file: " + p.String(), onRedis(p)})
	}
	return []set{{"sqlite", suite.Scenarios(), []group{{"", "", onFiles()}}}, redis}
}

// onFiles are the queues whose store is a file, and the limits of SQLite.
func onFiles() []suite.Contestant {
	return []suite.Contestant{
		suite.Peer(ours.Info),
		suite.Peer(river.Info),
		suite.Peer(nats.Always),
		suite.Peer(nats.Default),
		suite.SQL(rawsql.Plain),
		suite.SQL(rawsql.Merged),
	}
}

// onRedis are those on a server of that persistence, and its limits.
func onRedis(p server.Persistence) []suite.Contestant {
	all := []suite.Contestant{suite.Peer(ours.Redis(p)), suite.Peer(asynq.Info(p)), bullmq.Contestant(p)}
	for _, l := range rawredis.Layouts {
		all = append(all, suite.Limit(rawredis.Info(l, p), func(ctx context.Context, dir string, mode peer.Mode) (suite.Bare, error) {
			return rawredis.Open(ctx, dir, l, p, mode)
		}))
	}
	return all
}
