package redis

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// door is one address whose connections lead to a server that may be changed, as a failover does.
type door struct {
	listen net.Listener
	mu     sync.Mutex
	to     string
	open   map[net.Conn]bool
}

func newDoor(t *testing.T, to string) *door {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{listen: l, to: to, open: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { d.carry(c) })
		}
	})
	t.Cleanup(func() { l.Close(); d.lead(""); all.Wait() })
	return d
}

func (d *door) url() string { return "redis://" + d.listen.Addr().String() }

// lead ends all connections; new ones go to that server.
func (d *door) lead(to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = to
	for c := range d.open {
		_ = c.Close()
	}
}

func (d *door) carry(client net.Conn) {
	defer client.Close()
	d.mu.Lock()
	server, err := net.Dial("tcp4", d.to)
	if err == nil {
		d.open[client], d.open[server] = true, true
	}
	d.mu.Unlock()
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, client); server.Close() }()
	_, _ = io.Copy(client, server)
}

// A write that too few replicas hold has an unknown outcome; once they hold it, the same call is answered as the first
// would have been, and the replica has it.
func TestAWriteIsReportedOnceReplicasHoldIt(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, redistest.Options{})
	replica := redistest.Start(t, redistest.Options{ReplicaOf: master.Server})
	cfg := Config{MinReplicas: 1, ReplicaTimeout: 200 * time.Millisecond}
	e := engine(t, master.URL(), cfg)
	if said := e.Traits().Durability; !strings.Contains(said, "held by 1 replicas before it is reported") {
		t.Error(said)
	}
	if said := engine(t, master.URL(), Config{}).Traits().Durability; !strings.Contains(said, "a failover may lose the latest writes") {
		t.Error(said)
	}
	job := queue.Job{Queue: "q", Kind: "k", Key: "1"}
	// short calls with the replica stopped, and again once it goes on.
	short := func(what string, fn func() error) {
		t.Helper()
		replica.Freeze()
		if err := fn(); !errors.Is(err, queue.ErrUnknownOutcome) || !strings.Contains(err.Error(), "0 replicas hold it after 200ms, not 1") {
			t.Errorf("%s: %v", what, err)
		}
		replica.Thaw()
		await(t, what+" again", func() bool { return fn() == nil })
	}
	if receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "0", RunAt: time.Now().Add(time.Hour)}); err != nil || receipts[0].Status != queue.Accepted {
		t.Fatal(receipts, err)
	}
	var receipts []queue.Receipt
	short("enqueue", func() (err error) { receipts, err = e.Enqueue(t.Context(), job); return err })
	if receipts[0].Status != queue.Duplicate {
		t.Errorf("%+v", receipts)
	}
	req := claimOf(1)
	var leases []queue.Lease
	short("claim", func() (err error) { leases, err = e.Claim(t.Context(), req); return err })
	if len(leases) != 1 || leases[0].Job.Key != "1" || leases[0].Token != 1 {
		t.Fatalf("%+v", leases)
	}
	short("extend", func() error {
		errs, err := e.Extend(t.Context(), time.Hour, leases...)
		return errors.Join(append(errs, err)...)
	})
	short("settle", func() error {
		errs, err := e.Settle(t.Context(), queue.Settlement{Lease: leases[0], State: queue.Done, Outcome: queue.OutcomeDone})
		return errors.Join(append(errs, err)...)
	})
	short("ping", func() error { return e.Ping(t.Context()) })
	master.Kill()
	replica.Must("REPLICAOF", "NO", "ONE")
	rec, err := engine(t, replica.URL(), Config{}).Job(t.Context(), leases[0].Job.ID)
	if err != nil || rec.State != queue.Done || rec.Token != 1 {
		t.Errorf("%v: %+v", err, rec)
	}
}

// Over a failover nothing is lost that was reported held by the replica that takes over: what comes before it is
// promoted is refused, and work goes on by itself.
func TestAFailoverLosesNothingThatTheReplicaHeld(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, redistest.Options{})
	second := redistest.Start(t, redistest.Options{ReplicaOf: master.Server})
	way := newDoor(t, master.Addr())
	e := engine(t, way.url(), Config{MinReplicas: 1, ReplicaTimeout: 200 * time.Millisecond})
	w := work(t, e, "q")
	w.goesOn(100)
	master.Kill()
	way.lead(second.Addr())
	await(t, "calls are refused, for it is a replica", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.reasons[queue.ErrReadOnly] > 0
	})
	if _, err := Open(t.Context(), way.url(), Config{Logger: quiet}); !errors.Is(err, queue.ErrReadOnly) {
		t.Error("opened at a replica:", err)
	}
	promoted := time.Now()
	second.Must("REPLICAOF", "NO", "ONE")
	redistest.Start(t, redistest.Options{ReplicaOf: second.Server})
	w.goesOn(1)
	t.Logf("work went on %s after the promotion began", time.Since(promoted).Round(time.Millisecond))
	w.goesOn(100)
	w.whole()
}

// Sentinels name the master: when it dies and they promote a replica, work goes on there by itself, and nothing is lost
// that replicas held, nor when the old master comes back.
func TestSentinelsNameTheMaster(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, redistest.Options{})
	for range 2 {
		redistest.Start(t, redistest.Options{ReplicaOf: master.Server})
	}
	sentinel := redistest.Start(t, redistest.Options{Watches: master.Server})
	e := engine(t, sentinel.URL()+"?sentinel="+redistest.Watched, Config{MinReplicas: 1, ReplicaTimeout: 200 * time.Millisecond})
	if _, err := Open(t.Context(), sentinel.URL()+"?sentinel=unheard-of", Config{Logger: quiet}); !errors.Is(err, queue.ErrUnavailable) {
		t.Error("opened at a master of no sentinel:", err)
	}
	w := work(t, e, "q")
	w.goesOn(100)
	first := sentinel.Must("SENTINEL", "GET-MASTER-ADDR-BY-NAME", redistest.Watched)
	master.Kill()
	await(t, "another master is named", func() bool {
		return sentinel.Must("SENTINEL", "GET-MASTER-ADDR-BY-NAME", redistest.Watched) != first
	})
	named := time.Now()
	w.goesOn(1)
	t.Logf("work went on %s after another master was named", time.Since(named).Round(time.Millisecond))
	w.goesOn(100)
	master.Restart() // as a master, and empty
	w.goesOn(100)
	w.whole()
}

// The control: without MinReplicas a failover loses what was accepted, as the engine says.
func TestAFailoverLosesWhatNoReplicaHeld(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, redistest.Options{})
	replica := redistest.Start(t, redistest.Options{ReplicaOf: master.Server})
	way := newDoor(t, master.Addr())
	e := engine(t, way.url(), Config{})
	replica.Freeze()
	receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "1"})
	if err != nil || receipts[0].Status != queue.Accepted || !strings.Contains(e.Traits().Durability, "a failover may lose the latest writes") {
		t.Fatal(receipts, err)
	}
	master.Kill()
	way.lead(replica.Addr())
	replica.Kill() // what it was sent and had not read is gone with its connection
	replica.Restart()
	replica.Must("REPLICAOF", "NO", "ONE")
	await(t, "it answers", func() bool { return e.Ping(t.Context()) == nil })
	if _, err := e.Job(t.Context(), receipts[0].ID); !errors.Is(err, queue.ErrNotFound) {
		t.Error("nothing was lost, so the tests beside this one show nothing:", err)
	}
}
