package redistest

import (
	"testing"

	"github.com/twicehq/twice/internal/redistest/server"
)

// ClusterServers is a cluster of masters. Its methods may be called from any goroutine, one move at a time; what fails
// fails the test.
type ClusterServers struct {
	*server.Cluster
	t testing.TB
}

// Cluster starts a cluster of that many masters, which is well when Cluster returns, and kills it when the test ends.
func Cluster(t testing.TB, nodes int) *ClusterServers {
	t.Helper()
	return ClusterWith(t, nodes, Options{})
}

// ClusterWith is Cluster with options for every node.
func ClusterWith(t testing.TB, nodes int, o Options) *ClusterServers {
	t.Helper()
	Need(t)
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	c, err := server.StartCluster(t.Context(), o, nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &ClusterServers{c, t}
}

// Slot is the slot of a key.
func (c *ClusterServers) Slot(key string) int {
	c.t.Helper()
	slot, err := c.Cluster.Slot(key)
	c.check(err)
	return slot
}

// Owner is the index of the node that holds a slot.
func (c *ClusterServers) Owner(slot int) int {
	c.t.Helper()
	node, err := c.Cluster.Owner(slot)
	c.check(err)
	return node
}

// Move moves a slot with its keys to another node while others use them, and returns once all nodes know.
func (c *ClusterServers) Move(slot, to int) {
	c.t.Helper()
	c.check(c.Cluster.Move(slot, to))
	c.check(c.AwaitOwner(c.t.Context(), slot, to))
}

// Open begins a move and leaves it half done: up to most keys are at the new node, the others at the old one. The func
// moves the rest and ends it.
func (c *ClusterServers) Open(slot, to, most int) (finish func()) {
	c.t.Helper()
	m, err := c.Begin(slot, to)
	if err == nil && most > 0 {
		_, err = m.Keys(most)
	}
	c.check(err)
	return func() {
		c.t.Helper()
		if m == nil {
			return
		}
		n, err := 1, error(nil)
		for n > 0 && err == nil {
			n, err = m.Keys(100)
		}
		if err == nil {
			err = m.Finish()
		}
		c.check(err)
		c.check(c.AwaitOwner(c.t.Context(), slot, to))
	}
}

func (c *ClusterServers) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Error(err)
	}
}
