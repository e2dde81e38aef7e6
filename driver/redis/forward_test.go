package redis

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/internal/redistest/server"
	"github.com/twicehq/twice/queue"
)

// courier is a cluster of two nodes with a queue at each, and jobs of the first that others of the second follow.
type courier struct {
	*Engine
	t        *testing.T
	url      string
	from, to string
}

func newCourier(t *testing.T) *courier {
	t.Parallel()
	cluster := redistest.Cluster(t, 2)
	e := engine(t, cluster.URL(), Config{})
	names, _ := spread(cluster, e)
	return &courier{e, t, cluster.URL(), names[0], names[1]}
}

// settle ends n jobs, each with one that follows at the other node; their keys begin at first.
func (c *courier) settle(first, n int) []error {
	c.t.Helper()
	jobs, ends := make([]queue.Job, n), make([]queue.Settlement, n)
	for i := range jobs {
		jobs[i] = queue.Job{Queue: c.from, Kind: "k", Key: fmt.Sprint(first + i)}
	}
	if _, err := c.Enqueue(c.t.Context(), jobs...); err != nil {
		c.t.Fatal(err)
	}
	req := claimOf(n)
	req.Queues = []string{c.from}
	leases, err := c.Claim(c.t.Context(), req)
	if err != nil || len(leases) != n {
		c.t.Fatal(len(leases), err)
	}
	for i, l := range leases {
		ends[i] = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone, Next: []queue.Job{{Queue: c.to, Kind: "next", Key: l.Job.Key, Payload: []byte("from " + l.Job.Key)}}}
	}
	errs, err := c.Settle(c.t.Context(), ends...)
	if err != nil {
		c.t.Fatal(err)
	}
	return errs
}

// waiting are the rows to be forwarded.
func (c *courier) waiting() []string {
	rows, err := c.client.Do(c.t.Context(), c.client.B().Lrange().Key(c.key(c.from, "o")).Start(0).Stop(-1).Build()).AsStrSlice()
	if err != nil {
		c.t.Fatal(err)
	}
	return rows
}

func (c *courier) arrived() int64 {
	depths, err := c.Depths(c.t.Context(), c.to)
	if err != nil {
		c.t.Fatal(err)
	}
	if len(depths) == 0 {
		return 0
	}
	return depths[0].Accepted
}

func TestJobsThatFollowAtAnotherNodeArriveOnce(t *testing.T) {
	c := newCourier(t)
	if errs := c.settle(0, 20); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	await(t, "all are forwarded", func() bool { return len(c.waiting()) == 0 })
	if n := c.arrived(); n != 20 {
		t.Errorf("%d of 20 arrived", n)
	}
	job, err := c.Job(t.Context(), queue.NewID("next", "7"))
	if err != nil || job.State != queue.Queued || job.Job.Queue != c.to || string(job.Job.Payload) != "from 7" {
		t.Errorf("%+v, %v", job, err)
	}
	// A job that follows and cannot be stored refuses the settlement, although it is of another node.
	if _, err := c.Enqueue(t.Context(), queue.Job{Queue: c.to, Kind: "next", Key: "20", Payload: []byte("another")}); err != nil {
		t.Fatal(err)
	}
	if errs := c.settle(20, 1); !errors.Is(errs[0], queue.ErrConflict) {
		t.Error(errs)
	}
}

// A process that dies after it settled, or in the middle of forwarding, leaves the rest to whoever claims of that queue.
func TestJobsThatFollowArriveOnceWhenTheirProcessDies(t *testing.T) {
	c := newCourier(t)
	c.forwarding.Store(c.from, true) // it is dead, as far as forwarding goes
	if errs := c.settle(0, 250); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	rows := c.waiting()
	if n := c.arrived(); n != 0 || len(rows) != 250 {
		t.Fatalf("%d arrived and %d wait", n, len(rows))
	}
	others := []*Engine{engine(t, c.url, Config{}), engine(t, c.url, Config{}), engine(t, c.url, Config{})}
	var all sync.WaitGroup
	for _, e := range others {
		all.Go(func() {
			req := claimOf(1)
			req.Queues, req.Wait = []string{c.from}, 0
			if leases, err := e.Claim(t.Context(), req); err != nil || len(leases) > 0 {
				t.Error(leases, err)
			}
		})
	}
	all.Wait()
	await(t, "all are forwarded", func() bool { return len(c.waiting()) == 0 })
	if n := c.arrived(); n != 250 {
		t.Errorf("%d of 250 arrived", n)
	}
	// It was dead after it had stored them and before it had struck them off: they arrive again.
	req := claimOf(50)
	req.Queues, req.Kinds = []string{c.to}, []string{"next"}
	leases, err := c.Claim(t.Context(), req)
	if err != nil || len(leases) != 50 {
		t.Fatal(len(leases), err)
	}
	push := c.client.B().Rpush().Key(c.key(c.from, "o")).Element(rows...).Build()
	if err := c.client.Do(t.Context(), push).Error(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := c.forwardSome(t.Context(), c.from); err != nil {
			t.Fatal(err)
		}
	}
	if n, left := c.arrived(), c.waiting(); n != 250 || len(left) != 0 {
		t.Errorf("%d of 250 arrived, %d wait", n, len(left))
	}
}

// In a cluster, too, a write is reported once replicas of the node that has it hold it, wherever its slot moves.
func TestAWriteInAClusterIsReportedOnceReplicasHoldIt(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 2)
	replica := redistest.Start(t, redistest.Options{Config: []string{"cluster-enabled yes", "cluster-node-timeout 1000"}})
	master := cluster.Nodes[0]
	id, err := master.Command("CLUSTER", "MYID")
	if err != nil {
		t.Fatal(err)
	}
	replica.Must("CLUSTER", "MEET", "127.0.0.1", fmt.Sprint(master.Port()))
	await(t, "it follows the first node", func() bool {
		_, _ = replica.Command("CLUSTER", "REPLICATE", id)
		info, err := replica.Command("INFO", "replication")
		return err == nil && server.Field(info, "master_link_status") == "up"
	})
	e := engine(t, cluster.URL(), Config{MinReplicas: 1, ReplicaTimeout: 200 * time.Millisecond})
	names, slots := spread(cluster, e)
	put := func(key string) (queue.Status, error) {
		receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: names[0], Kind: "k", Key: key})
		if err != nil {
			return 0, err
		}
		return receipts[0].Status, nil
	}
	if got, err := put("1"); err != nil || got != queue.Accepted {
		t.Fatal(got, err)
	}
	cluster.Move(slots[0], 1)
	if _, err := put("2"); !errors.Is(err, queue.ErrUnknownOutcome) || !strings.Contains(err.Error(), "0 replicas hold it") {
		t.Error("the other node has no replica:", err)
	}
	cluster.Move(slots[0], 0)
	if got, err := put("2"); err != nil || got != queue.Duplicate {
		t.Error(got, err)
	}
	replica.Freeze()
	if _, err := put("3"); !errors.Is(err, queue.ErrUnknownOutcome) {
		t.Error("the replica stands still:", err)
	}
	replica.Thaw()
	await(t, "it holds it", func() bool { got, err := put("3"); return err == nil && got == queue.Duplicate })
}
