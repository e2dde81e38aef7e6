package proof

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
)

// Dial is how a connection is made: the DialContext of a net.Dialer, and of many a client.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Dialer sees what is written to the connections that it makes, for protocols such as those of mail servers and Redis:
// a point before and one after each write, told by its first line. Nil dials as net.Dialer does. A connection is its
// attempt's own, as the context of the dial says: it is closed when that attempt crashes. One that fails is broken.
//
// An HTTP client is seen by its Transport or by this, not by both. A client that pools connections or writes from goroutines of its own has its writes taken for the attempt's at work.
func (o *Outside) Dialer(dial Dial) Dial {
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		base, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: base, o: o, who: o.t.attemptOf(ctx), to: address}
		if c.who != nil {
			o.t.onDeath(c.who, func() { _ = base.Close() })
		}
		return c, nil
	}
}

type conn struct {
	net.Conn
	o   *Outside
	who *attempt
	to  string
}

// Write implements [net.Conn].
func (c *conn) Write(b []byte) (n int, err error) {
	ctx := context.Background()
	if c.who != nil {
		ctx = context.WithValue(ctx, attemptKey{}, c.who)
	}
	failed := true
	err = c.o.around(ctx, call{name: "write to " + c.to + ": " + firstLine(b), effect: true}, func() (string, error) {
		var err error
		n, err = c.Conn.Write(b)
		failed = err != nil
		return fmt.Sprintf("%d bytes", n), err
	})
	if err != nil && !failed { // it was written, and the reply is to be lost
		_ = c.Close()
		return n, err
	}
	if err != nil {
		_ = c.Close()
		return 0, err
	}
	return n, nil
}

// firstLine is the first line of what was written, fit to be shown.
func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(line), "?"))
	return short(text, 40)
}

// onDeath calls f where the attempt crashes: what a process holds outside goes with it.
func (t *trial) onDeath(a *attempt, f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaths[a] = append(t.deaths[a], f)
}
