package redis

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/ledger/ledgertest"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/queue/queuetest"
)

// spread gives one queue's name for each node, which has it, and the slots.
func spread(c *redistest.ClusterServers, e *Engine) (names []string, slots []int) {
	names, slots = make([]string, len(c.Nodes)), make([]int, len(c.Nodes))
	for i, left := 0, len(names); left > 0; i++ {
		name := fmt.Sprintf("queue-%d", i)
		slot := c.Slot(e.key(name, "m"))
		if node := c.Owner(slot); names[node] == "" {
			names[node], slots[node] = name, slot
			left--
		}
	}
	return names, slots
}

// Here leases are indexed by claim, be they ever so few.
func TestConformanceOfACluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3)
	t.Run("queue", func(t *testing.T) {
		queuetest.Run(t, func(t *testing.T, opt queuetest.Options) queue.Engine {
			name := prefix()
			open := func() (*Engine, error) {
				return Open(context.Background(), cluster.URL(), Config{Prefix: name, Now: opt.Clock.Now, few: 1})
			}
			e, err := open()
			if err != nil {
				t.Fatal(err)
			}
			return tested{e, open, t}
		})
	})
	t.Run("ledger", func(t *testing.T) {
		ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store {
			return store{&Ledger{e: engine(t, cluster.URL(), Config{Prefix: prefix(), Now: opt.Clock.Now})}}
		})
	})
}

// A claim over several queues gets the jobs of every node, higher priority first, and again the same when repeated.
func TestAClaimAsksEveryNode(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3)
	e := engine(t, cluster.URL(), Config{})
	names, _ := spread(cluster, e)
	for i, name := range names {
		for k := range 3 {
			if _, err := e.Enqueue(t.Context(), queue.Job{Queue: name, Kind: "k", Key: fmt.Sprint(i, k), Priority: k}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, node := range cluster.Nodes {
		keys, err := node.Command("EXISTS", e.key(names[i], "m"))
		if err != nil || keys != "1" {
			t.Fatalf("node %d does not have the queue %s: %s, %v", i, names[i], keys, err)
		}
	}
	req := claimOf(6)
	req.Queues = names
	for range 2 {
		leases, err := e.Claim(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		per := map[string]int{}
		for i, l := range leases {
			per[l.Job.Queue]++
			if want := 2 - i/3; l.Job.Priority != want || l.Token != 1 {
				t.Errorf("lease %d has priority %d and token %d", i, l.Job.Priority, l.Token)
			}
		}
		if len(leases) != 6 || len(per) != 3 {
			t.Errorf("%d leases: %v", len(leases), per)
		}
	}
}

// Queues move to another node, back and forth, while jobs are enqueued, claimed and ended: nothing is lost or doubled.
func TestASlotMovesUnderLoad(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3)
	e := engine(t, cluster.URL(), Config{})
	names, slots := spread(cluster, e)
	w := work(t, e, names...)
	for i := range 6 {
		slot := slots[i%3]
		cluster.Move(slot, (cluster.Owner(slot)+1)%3)
		w.goesOn(30)
	}
	w.whole()
}

// While a slot is half moved its keys are at two nodes and scripts are told to try again: they do so by themselves. Where
// it takes long, the call fails as one that changed nothing, and work goes on once the move is over.
func TestAHalfMovedSlotIsTriedAgain(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3)
	e := engine(t, cluster.URL(), Config{})
	names, slots := spread(cluster, e)
	job := func(key string) queue.Job { return queue.Job{Queue: names[0], Kind: "k", Key: key} }
	if _, err := e.Enqueue(t.Context(), job("1")); err != nil {
		t.Fatal(err)
	}
	moving := func(call func()) {
		finish := cluster.Open(slots[0], (cluster.Owner(slots[0])+1)%3, 2)
		call()
		finish()
	}
	waited := make(chan error, 1)
	moving(func() {
		go func() { _, err := e.Enqueue(context.Background(), job("2")); waited <- err }()
		select {
		case err := <-waited:
			t.Errorf("it was not held up: %v", err)
			waited <- err
		case <-time.After(100 * time.Millisecond):
		}
	})
	if err := <-waited; err != nil {
		t.Error("a short move:", err)
	}
	moving(func() {
		if _, err := e.Enqueue(t.Context(), job("3")); !errors.Is(err, queue.ErrUnavailable) || errors.Is(err, queue.ErrUnknownOutcome) {
			t.Error("a long move:", err)
		}
	})
	for i, want := range []queue.Status{queue.Duplicate, queue.Duplicate, queue.Accepted} {
		receipts, err := e.Enqueue(t.Context(), job(fmt.Sprint(i+1)))
		if err != nil || receipts[0].Status != want {
			t.Errorf("job %d: %+v, %v", i+1, receipts, err)
		}
	}
}

// What is enqueued into several queues of which one node refuses is not told of as if nothing had been changed.
func TestACallThatOneNodeRefusesHasAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 2)
	e := engine(t, cluster.URL(), Config{})
	names, _ := spread(cluster, e)
	jobs := func(key string) (all []queue.Job) {
		for _, name := range names {
			all = append(all, queue.Job{Queue: name, Kind: "kind-" + name, Key: key})
		}
		return all
	}
	if _, err := e.Enqueue(t.Context(), jobs("1")...); err != nil {
		t.Fatal(err)
	}
	req := claimOf(10)
	req.Queues, req.Kinds = names, []string{"kind-" + names[0], "kind-" + names[1]}
	leases, err := e.Claim(t.Context(), req)
	if err != nil || len(leases) != 2 {
		t.Fatal(leases, err)
	}
	refusing := func(replicas string) {
		if _, err := cluster.Nodes[1].Command("CONFIG", "SET", "min-replicas-to-write", replicas); err != nil {
			t.Fatal(err)
		}
	}
	var ends []queue.Settlement
	for _, l := range leases {
		ends = append(ends, queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
	}
	refusing("1")
	if _, err := e.Enqueue(t.Context(), jobs("2")...); !errors.Is(err, queue.ErrUnknownOutcome) {
		t.Error("enqueue:", err)
	}
	if _, err := e.Settle(t.Context(), ends...); !errors.Is(err, queue.ErrUnknownOutcome) {
		t.Error("settle:", err)
	}
	if _, err := e.Enqueue(t.Context(), jobs("3")[1]); !errors.Is(err, queue.ErrUnavailable) || errors.Is(err, queue.ErrUnknownOutcome) {
		t.Error("enqueue at that node alone:", err)
	}
	refusing("0")
	receipts, err := e.Enqueue(t.Context(), jobs("2")...)
	if err != nil || receipts[0].Status != queue.Duplicate || receipts[1].Status != queue.Accepted {
		t.Errorf("%+v, %v", receipts, err)
	}
	if errs, err := e.Settle(t.Context(), ends...); err != nil || errors.Join(errs...) != nil {
		t.Errorf("%v, %v", errs, err)
	}
}
