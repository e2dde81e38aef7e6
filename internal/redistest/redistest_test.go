package redistest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest/server"
)

func TestWhatSurvivesARestart(t *testing.T) {
	for _, p := range []server.Persistence{None, EverySec, Always} {
		t.Run(p.String(), func(t *testing.T) {
			s := Start(t, Options{Persistence: p})
			s.Must("SET", "k", "v\r\nw")
			addr := s.Addr()
			if p == Always {
				s.Kill()
			} else {
				s.Stop()
			}
			s.Restart()
			want := "v\r\nw"
			if p == None {
				want = ""
			}
			if got := s.Must("GET", "k"); got != want || s.Addr() != addr {
				t.Errorf("%q at %s, was at %s", got, s.Addr(), addr)
			}
		})
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := Start(t, Options{MaxMemory: "3mb", Policy: "noeviction", Config: []string{"maxclients 20"}})
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		_, err = s.Command("SET", strconv.Itoa(i), strings.Repeat("x", 100_000))
	}
	if refused := server.Failure(""); !errors.As(err, &refused) || !strings.HasPrefix(string(refused), "OOM") {
		t.Error(err)
	}
	if s.Must("CONFIG", "GET", "maxclients") != "maxclients\n20" {
		t.Error("a further line did not arrive")
	}
}

func TestAReplicaFollowsAndIsPromoted(t *testing.T) {
	master := Start(t, Options{})
	master.Must("SET", "k", "v")
	replica := Start(t, Options{ReplicaOf: master.Server})
	if got := replica.Must("GET", "k"); got != "v" {
		t.Errorf("%q", got)
	}
	if n := master.Must("WAIT", "1", "1"); n != "1" {
		t.Error("the master does not count its replica yet")
	}
	master.Kill()
	replica.Must("REPLICAOF", "NO", "ONE")
	replica.Must("SET", "k", "w")
}

func TestAFrozenServerAnswersOnceItThaws(t *testing.T) {
	s := Start(t, Options{})
	s.Freeze()
	answered := make(chan string, 1)
	go func() { answered <- s.Must("PING") }()
	select {
	case a := <-answered:
		t.Errorf("frozen, it answered %q", a)
	case <-time.After(50 * time.Millisecond):
	}
	s.Thaw()
	if a := <-answered; a != "PONG" {
		t.Errorf("%q", a)
	}
}

func TestAClustersSlotMovesWithItsKeys(t *testing.T) {
	c := Cluster(t, 3)
	slot := c.Slot("{tag}a")
	from := c.Owner(slot)
	to := (from + 1) % 3
	for i := range 250 {
		c.server(from).Must("SET", fmt.Sprint("{tag}\n", i), "v") // a key may hold anything
	}
	finish := c.Open(slot, to, 100)
	asked := 0
	for i := range 250 {
		if _, err := c.Nodes[from].Command("GET", fmt.Sprint("{tag}\n", i)); err != nil {
			if !strings.Contains(err.Error(), "ASK "+strconv.Itoa(slot)+" "+c.Nodes[to].Addr()) {
				t.Fatal(err)
			}
			asked++
		}
	}
	finish()
	if asked != 100 || c.Owner(slot) != to {
		t.Errorf("%d keys were at the new node while the slot was open, and node %d has it now", asked, c.Owner(slot))
	}
	c.Move(slot, from)
	for i := range 250 {
		if got := c.server(from).Must("GET", fmt.Sprint("{tag}\n", i)); got != "v" {
			t.Errorf("key %d is %q", i, got)
		}
	}
	if got, want := c.URL(), "redis://"+strings.Join(c.Addrs(), ","); got != want || strings.Count(got, "127.0.0.1:") != 3 {
		t.Error(got)
	}
}

func (c *ClusterServers) server(node int) *Server { return &Server{c.Nodes[node], c.t} }

// A server must not outlive a test's process that is killed.
func TestNoServerOutlivesItsProcess(t *testing.T) {
	if os.Getenv("REDISTEST_CHILD") != "" {
		fmt.Println("addr:" + Start(t, Options{}).Addr())
		select {}
	}
	Need(t)
	if server.Orphans {
		t.Skip("this system has no signal for the death of a parent")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNoServerOutlivesItsProcess$", "-test.v")
	cmd.Env = append(os.Environ(), "REDISTEST_CHILD=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var said strings.Builder
	addr := ""
	for buf := make([]byte, 256); !strings.HasSuffix(addr, "\n"); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatal(err, said.String())
		}
		said.Write(buf[:n])
		_, addr, _ = strings.Cut(said.String(), "addr:")
	}
	addr = strings.Fields(addr)[0]
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		c, err := server.Dial(addr)
		if err != nil {
			return
		}
		c.Close()
		if time.Now().After(end) {
			t.Fatalf("the server at %s lives on", addr)
		}
	}
}
