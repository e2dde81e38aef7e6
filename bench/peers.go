package main

import (
	"github.com/twicehq/twice/bench/nats"
	"github.com/twicehq/twice/bench/ours"
	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
	"github.com/twicehq/twice/bench/river"
	"github.com/twicehq/twice/bench/suite"
)

// peers are the queues measured, ours first: its name is what -base has by default.
func peers() []peer.Info {
	return []peer.Info{
		ours.Info,
		river.Info,
		nats.Always,
		nats.Default,
	}
}

// contestants are the peers and the honest limits.
func contestants() (all []suite.Contestant) {
	for _, p := range peers() {
		all = append(all, suite.Peer(p))
	}
	return append(all, suite.Limit(rawsql.Plain), suite.Limit(rawsql.Merged))
}
