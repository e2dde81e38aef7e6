// Package faultproxy breaks TCP connections on purpose: it stands between clients and one server, on loopback.
package faultproxy

import (
	"bytes"
	"io"
	"net"
	"sync"
	"time"
)

// Proxy stands between a client and one server and breaks the connection as it is told. All methods may be called
// concurrently.
type Proxy struct {
	to     string
	listen net.Listener
	all    sync.WaitGroup

	mu    sync.Mutex
	fault fault
	only  []byte // requests whose replies are dropped; empty: all
	hits  int
	links map[*link]struct{} // nil once it is closed
}

type fault int

const (
	healthy fault = iota
	swallowing
	droppingReplies
)

// New forwards connections to addr, a host and port, until it is closed.
func New(addr string) (*Proxy, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{to: addr, listen: l, links: map[*link]struct{}{}}
	p.all.Go(p.accept)
	return p, nil
}

// Close resets all connections, and returns when nothing is forwarded any more.
func (p *Proxy) Close() error {
	err := p.listen.Close()
	p.Cut()
	p.mu.Lock()
	p.links = nil
	p.mu.Unlock()
	p.all.Wait()
	return err
}

// Addr is the proxy's host and port.
func (p *Proxy) Addr() string { return p.listen.Addr().String() }

// Blackhole swallows everything in both directions, over connections that stay open and new ones that are accepted.
func (p *Proxy) Blackhole() { p.set(swallowing, "") }

// DropReplies forwards requests and, when the server begins to answer, resets the client's connection in place of the
// answer: the request was carried out and its sender is not told. Where text is given, only connections whose requests
// held it since are so treated; others, such as those that only shake hands, go on.
func (p *Proxy) DropReplies(text ...string) {
	only := ""
	if len(text) > 0 {
		only = text[0]
	}
	p.set(droppingReplies, only)
}

// Heal forwards again. Connections that lost something are reset.
func (p *Proxy) Heal() { p.set(healthy, "") }

// Cut resets all connections. New ones are accepted, and treated as before.
func (p *Proxy) Cut() { p.reset(func(*link) bool { return true }) }

// Hits is how often it has swallowed or dropped something, so that a caller can wait for that.
func (p *Proxy) Hits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits
}

func (p *Proxy) set(f fault, only string) {
	p.mu.Lock()
	p.fault, p.only = f, []byte(only)
	for l := range p.links {
		l.armed = false
	}
	p.mu.Unlock()
	if f != swallowing {
		p.reset(func(l *link) bool { return l.lossy })
	}
}

func (p *Proxy) reset(which func(*link) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if which(l) {
			l.close()
		}
	}
}

func (p *Proxy) accept() {
	for {
		c, err := p.listen.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.carry(c.(*net.TCPConn)) })
	}
}

// link is one connection of a client with that to the server. Its flags are guarded by the proxy's mutex.
type link struct {
	client, server *net.TCPConn
	lossy          bool // something was swallowed
	armed          bool // the next answer is dropped
}

// close resets the client's side and ends the server's, which carries out what it was sent.
func (l *link) close() {
	_ = l.client.SetLinger(0)
	_ = l.client.Close()
	_ = l.server.CloseWrite()
	_ = l.server.SetReadDeadline(time.Now().Add(time.Second))
}

func (p *Proxy) carry(client *net.TCPConn) {
	c, err := net.Dial("tcp4", p.to)
	if err != nil {
		_ = client.SetLinger(0)
		_ = client.Close()
		return
	}
	l := &link{client: client, server: c.(*net.TCPConn)}
	p.mu.Lock()
	if p.links == nil {
		l.close()
	} else {
		p.links[l] = struct{}{}
	}
	p.mu.Unlock()
	var up sync.WaitGroup
	up.Go(func() { p.requests(l) })
	p.answers(l)
	up.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
	_, _ = io.Copy(io.Discard, l.server)
	_ = l.server.Close()
}

func (p *Proxy) requests(l *link) {
	defer l.close()
	buf := make([]byte, 64<<10)
	for {
		n, err := l.client.Read(buf)
		if n > 0 && p.forwards(l, buf[:n]) {
			if _, err := l.server.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// forwards says whether a request goes on to the server.
func (p *Proxy) forwards(l *link, b []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.fault {
	case swallowing:
		l.lossy = true
		p.hits++
		return false
	case droppingReplies:
		l.armed = l.armed || bytes.Contains(b, p.only)
	}
	return true
}

func (p *Proxy) answers(l *link) {
	defer l.close()
	buf := make([]byte, 64<<10)
	for {
		n, err := l.server.Read(buf)
		if n > 0 {
			switch p.answered(l) {
			case droppingReplies:
				return
			case healthy:
				if _, err := l.client.Write(buf[:n]); err != nil {
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// answered says what becomes of an answer.
func (p *Proxy) answered(l *link) fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.fault == swallowing:
		l.lossy = true
		p.hits++
		return swallowing
	case p.fault == droppingReplies && l.armed:
		p.hits++
		return droppingReplies
	}
	return healthy
}
