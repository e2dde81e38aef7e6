package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Slots is how many slots a cluster has.
const Slots = 16384

// Cluster is a cluster of masters on loopback. All methods may be called concurrently, but only one move at a time.
type Cluster struct {
	Nodes []*Server
	ids   []string
}

// StartCluster starts n masters with equal shares of the slots and returns once each says that the cluster is well.
func StartCluster(ctx context.Context, o Options, n int) (*Cluster, error) {
	c := &Cluster{}
	if err := c.start(ctx, o, n); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, o Options, n int) error {
	dir := o.Dir
	o.Config = append([]string{"cluster-enabled yes", "cluster-node-timeout 1000"}, o.Config...)
	for i := range n {
		o.Dir = filepath.Join(dir, "node"+strconv.Itoa(i))
		if err := os.Mkdir(o.Dir, 0o755); err != nil {
			return err
		}
		s, err := Start(ctx, o)
		if err != nil {
			return err
		}
		c.Nodes = append(c.Nodes, s)
		id, err := s.Command("CLUSTER", "MYID")
		if err != nil {
			return err
		}
		c.ids = append(c.ids, id)
		add := []string{"CLUSTER", "ADDSLOTS"}
		for slot := i * Slots / n; slot < (i+1)*Slots/n; slot++ {
			add = append(add, strconv.Itoa(slot))
		}
		if _, err := s.Command(add...); err != nil {
			return err
		}
		if _, err := s.Command("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil {
			return err
		}
		if _, err := s.Command("CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(c.Nodes[0].Port())); err != nil {
			return err
		}
	}
	return c.Await(ctx)
}

// Await waits until every node says that the cluster is well and knows all others.
func (c *Cluster) Await(ctx context.Context) error {
	for _, s := range c.Nodes {
		err := s.await(ctx, "find the cluster well", func() bool {
			info, err := s.Command("CLUSTER", "INFO")
			return err == nil && Field(info, "cluster_state") == "ok" && Field(info, "cluster_slots_ok") == strconv.Itoa(Slots) &&
				Field(info, "cluster_known_nodes") == strconv.Itoa(len(c.Nodes))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// URL names all nodes: redis://HOST:PORT,HOST:PORT,HOST:PORT with no path, since a cluster has one database.
func (c *Cluster) URL() string { return "redis://" + strings.Join(c.Addrs(), ",") }

// Addrs are the nodes' addresses.
func (c *Cluster) Addrs() (all []string) {
	for _, s := range c.Nodes {
		all = append(all, s.Addr())
	}
	return all
}

// Close kills all nodes.
func (c *Cluster) Close() (err error) {
	for _, s := range c.Nodes {
		err = errors.Join(err, s.Close())
	}
	return err
}

// Slot is the slot of a key.
func (c *Cluster) Slot(key string) (int, error) {
	text, err := c.Nodes[0].Command("CLUSTER", "KEYSLOT", key)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// Owner is the index of the node that holds a slot, as that node itself says.
func (c *Cluster) Owner(slot int) (int, error) {
	for i, s := range c.Nodes {
		nodes, err := s.Command("CLUSTER", "NODES")
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(nodes) {
			f := strings.Fields(line)
			if len(f) < 8 || !strings.Contains(f[2], "myself") {
				continue
			}
			for _, held := range f[8:] {
				from, to, isRange := strings.Cut(held, "-")
				if !isRange {
					to = from
				}
				a, errA := strconv.Atoi(from)
				b, errB := strconv.Atoi(to)
				if errA == nil && errB == nil && a <= slot && slot <= b { // [slot->-node] is a move, and no number
					return i, nil
				}
			}
		}
	}
	return 0, fmt.Errorf("no node holds slot %d", slot)
}

// Move moves a slot with its keys to the node of that index, while others go on using them.
func (c *Cluster) Move(slot, to int) error {
	m, err := c.Begin(slot, to)
	if err != nil {
		return err
	}
	for {
		n, err := m.Keys(100)
		if err != nil {
			return err
		}
		if n == 0 {
			return m.Finish()
		}
	}
}

// Migration is a slot on its way: its keys are at two nodes, and commands are answered with ASK and TRYAGAIN.
type Migration struct {
	cluster        *Cluster
	slot, from, to int
}

// Begin opens a slot for its move to another node.
func (c *Cluster) Begin(slot, to int) (*Migration, error) {
	from, err := c.Owner(slot)
	if err != nil {
		return nil, err
	}
	if from == to {
		return nil, fmt.Errorf("slot %d is at node %d already", slot, to)
	}
	m := &Migration{c, slot, from, to}
	return m, errors.Join(m.set(to, "IMPORTING", c.ids[from]), m.set(from, "MIGRATING", c.ids[to]))
}

func (m *Migration) set(node int, args ...string) error {
	_, err := m.cluster.Nodes[node].Command(append([]string{"CLUSTER", "SETSLOT", strconv.Itoa(m.slot)}, args...)...)
	return err
}

// Keys moves up to most keys and says how many there were.
func (m *Migration) Keys(most int) (int, error) {
	from, to := m.cluster.Nodes[m.from], m.cluster.Nodes[m.to]
	v, err := from.Do("CLUSTER", "GETKEYSINSLOT", strconv.Itoa(m.slot), strconv.Itoa(most))
	keys, _ := v.([]any)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	move := []string{"MIGRATE", "127.0.0.1", strconv.Itoa(to.Port()), "", "0", "5000", "KEYS"}
	for _, k := range keys {
		move = append(move, Text(k))
	}
	_, err = from.Do(move...)
	return len(keys), err
}

// Finish gives the slot to its new node; all its keys must have been moved.
func (m *Migration) Finish() error {
	id := m.cluster.ids[m.to]
	err := errors.Join(m.set(m.to, "NODE", id), m.set(m.from, "NODE", id))
	for i := range m.cluster.Nodes { // the others would hear of it by and by
		if i != m.from && i != m.to {
			err = errors.Join(err, m.set(i, "NODE", id))
		}
	}
	return err
}

// AwaitOwner waits until every node names the node of that index as the slot's.
func (c *Cluster) AwaitOwner(ctx context.Context, slot, node int) error {
	for _, s := range c.Nodes {
		err := s.await(ctx, fmt.Sprintf("learn who has slot %d", slot), func() bool { return s.thinks(slot) == c.Nodes[node].Port() })
		if err != nil {
			return err
		}
	}
	return nil
}

// thinks is the port of the node that this one takes for the slot's, 0 for none.
func (s *Server) thinks(slot int) int {
	v, _ := s.Do("CLUSTER", "SLOTS")
	ranges, _ := v.([]any)
	for _, r := range ranges {
		r := r.([]any)
		if a, b := r[0].(int64), r[1].(int64); a <= int64(slot) && int64(slot) <= b {
			return int(r[2].([]any)[1].(int64))
		}
	}
	return 0
}
