package redistest

import (
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest/server"
)

func dial(t *testing.T, addr string) *server.Conn {
	t.Helper()
	c, err := server.Dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestProxyForwardsAndCuts(t *testing.T) {
	s := Start(t, Options{})
	p := Proxy(t, s.Addr())
	c := dial(t, p.Addr())
	if v, err := c.Do("PING"); v != "PONG" || err != nil {
		t.Fatal(v, err)
	}
	p.Cut()
	if v, err := c.Do("PING"); err == nil {
		t.Error(v)
	}
	if v, err := dial(t, p.Addr()).Do("PING"); v != "PONG" || err != nil {
		t.Error(v, err)
	}
	s.Kill()
	if c, err := server.Dial(p.Addr()); err == nil {
		if v, err := c.Do("PING"); err == nil {
			t.Error("a dead server answered", v)
		}
	}
}

func TestProxyDropsRepliesOfWhatWasDone(t *testing.T) {
	s := Start(t, Options{})
	p := Proxy(t, s.Addr())
	for range 50 {
		p.DropReplies("INCR")
		c := dial(t, p.Addr())
		if v, err := c.Do("PING"); v != "PONG" || err != nil {
			t.Fatal("another request", v, err)
		}
		if v, err := c.Do("INCR", "n"); err == nil {
			t.Fatal("an answer came through", v)
		}
		p.Heal()
	}
	if n := s.Must("GET", "n"); n != "50" {
		t.Errorf("%s of 50 were carried out", n)
	}
	p.DropReplies()
	if v, err := dial(t, p.Addr()).Do("PING"); err == nil {
		t.Error("an answer came through", v)
	}
	p.Heal()
	if v, err := dial(t, p.Addr()).Do("PING"); v != "PONG" || err != nil {
		t.Error(v, err)
	}
}

func TestProxySwallowsAndHeals(t *testing.T) {
	s := Start(t, Options{})
	p := Proxy(t, s.Addr())
	idle, old := dial(t, p.Addr()), dial(t, p.Addr())
	for _, c := range []*server.Conn{idle, old} {
		if _, err := c.Do("PING"); err != nil {
			t.Fatal(err)
		}
	}
	p.Blackhole()
	lost := make(chan error, 2)
	for _, c := range []*server.Conn{old, dial(t, p.Addr())} {
		go func() { _, err := c.Do("INCR", "n"); lost <- err }()
	}
	for end := time.Now().Add(10 * time.Second); p.Hits() < 2 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-lost:
		t.Error("it did not stay silent:", err)
	case <-time.After(20 * time.Millisecond):
	}
	p.Heal()
	for range 2 {
		if err := <-lost; err == nil {
			t.Error("what was swallowed was answered")
		}
	}
	if v, err := idle.Do("GET", "n"); v != nil || err != nil {
		t.Error("a connection that lost nothing:", v, err)
	}
}
