package redis

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Server is what a server says of itself: what it keeps, and what it may lose.
type Server struct {
	Version  string
	AOF      bool
	Fsync    string // always, everysec, no; empty: it does not say
	Snapshot bool   // it saves snapshots
	Eviction string // its maxmemory-policy
	Role     string // master or slave
	Replicas int    // connected; of a cluster, those of the node that has most
	Cluster  bool
}

// look asks every node, and refuses those that cannot keep jobs. What is told is the weakest answer.
func look(ctx context.Context, client rueidis.Client) (Server, error) {
	var weakest Server
	first, most := true, 0
	for addr, node := range client.Nodes() {
		s, err := ask(ctx, node)
		if err != nil {
			return s, translated("open", err)
		}
		if err := s.check(addr); err != nil {
			return s, err
		}
		if s.Role != "slave" && (first || s.strength() < weakest.strength()) {
			weakest, first = s, false
		}
		most = max(most, s.Replicas)
	}
	if first {
		return weakest, &queue.Error{Op: "open", Subject: "redis", Reason: queue.ErrReadOnly, Detail: "it is a replica", Remedy: "name the master, or its sentinels"}
	}
	weakest.Replicas = most
	return weakest, nil
}

func ask(ctx context.Context, node rueidis.Client) (Server, error) {
	info, err := node.Do(ctx, node.B().Info().Build()).ToString()
	if err != nil {
		return Server{}, err
	}
	said := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			said[name] = value
		}
	}
	s := Server{Version: said["redis_version"], AOF: said["aof_enabled"] == "1", Eviction: said["maxmemory_policy"], Role: said["role"],
		Cluster: said["cluster_enabled"] == "1"}
	s.Replicas, _ = strconv.Atoi(said["connected_slaves"])
	// Servers that are rented out often refuse CONFIG: then what it would say is not known.
	config, err := node.Do(ctx, node.B().ConfigGet().Parameter("appendfsync", "save", "maxmemory-policy").Build()).AsStrMap()
	if err == nil {
		s.Fsync, s.Snapshot = config["appendfsync"], config["save"] != ""
		s.Eviction = config["maxmemory-policy"]
	} else {
		for _, name := range []string{"appendfsync", "save", "maxmemory-policy"} { // before 7.0 one at a time
			one, err := node.Do(ctx, node.B().ConfigGet().Parameter(name).Build()).AsStrMap()
			if err != nil {
				break
			}
			switch name {
			case "appendfsync":
				s.Fsync = one[name]
			case "save":
				s.Snapshot = one[name] != ""
			default:
				s.Eviction = one[name]
			}
		}
	}
	return s, nil
}

// check refuses a server that would lose jobs by design, or does not know what the scripts use.
func (s Server) check(addr string) error {
	bad := func(detail, remedy string) error {
		return &queue.Error{Op: "open", Subject: "redis " + addr, Reason: queue.ErrSchema, Detail: detail, Remedy: remedy}
	}
	major, rest, _ := strings.Cut(s.Version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, _ := strconv.Atoi(major)
	y, _ := strconv.Atoi(minor)
	if s.Version != "" && (x < 6 || x == 6 && y < 2) {
		return bad("its version is "+s.Version, "use 6.2 or later")
	}
	if s.Eviction != "" && s.Eviction != "noeviction" {
		return bad("its maxmemory-policy is "+s.Eviction+": it may delete any job at any moment", "set maxmemory-policy noeviction, on a server that is no cache")
	}
	return nil
}

// strength orders what servers keep.
func (s Server) strength() int {
	switch {
	case s.AOF && s.Fsync == "always":
		return 3
	case s.AOF:
		return 2
	case s.Snapshot:
		return 1
	}
	return 0
}

// Durable reports whether what was reported survives the end of every process: only where each write is fsynced.
func (s Server) Durable() bool { return s.strength() == 3 }

// Durability says in words what a reported success survives.
func (s Server) Durability(minReplicas int) string {
	var text string
	switch {
	case s.strength() == 3:
		text = "appended and fsynced before it is reported: survives a crash and a power cut of this server"
	case s.AOF && s.Fsync == "everysec":
		text = "appended, and fsynced every second: a crash or a power cut of this server may lose the last one to two seconds"
	case s.AOF && s.Fsync == "no":
		text = "appended, and fsynced when the system likes: a crash or a power cut of this server may lose the last half minute"
	case s.AOF:
		text = "appended; the server does not say when it is fsynced, so a crash or a power cut of it may lose the last seconds"
	case s.Snapshot:
		text = "in memory, with snapshots: the end of this server loses all since the last one"
	case s.Fsync == "":
		text = "in memory; the server does not say whether it saves snapshots, so its end may lose everything"
	default:
		text = "in memory only: the end of this server loses everything"
	}
	switch {
	case minReplicas > 0:
		text += fmt.Sprintf("; held by %d replicas before it is reported, so a failover to one of them loses nothing", minReplicas)
	case s.Replicas > 0:
		text += "; replicated afterwards, so a failover may lose the latest writes"
	}
	return text + " (Redis " + s.Version + ")"
}
