package proof_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/proof"
)

// post is a world with a mail server that speaks lines over connections.
type post struct {
	dial  proof.Dial
	mu    sync.Mutex
	mails int
	open  sync.WaitGroup
}

func newPost(o *proof.Outside) (*post, error) {
	p := &post{}
	p.dial = o.Dialer(func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		p.open.Go(func() { p.serve(far) })
		return near, nil
	})
	return p, nil
}

// serve accepts a mail with its last line.
func (p *post) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		if lines.Text() == "." {
			p.mu.Lock()
			p.mails++
			p.mu.Unlock()
		}
		if _, err := fmt.Fprintln(c, "250 ok"); err != nil {
			return
		}
	}
}

// look waits for the servers: every connection is closed by then, by its sender or by the crash.
func (p *post) look() any {
	p.open.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return map[string]int{"mails": p.mails}
}

func (p *post) send(ctx context.Context, _ job) error {
	c, err := p.dial(ctx, "tcp", "mail.test:25")
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	answers := bufio.NewReader(c)
	for _, line := range []string{"MAIL FROM:<a@b.test>", "."} {
		if _, err := fmt.Fprintf(c, "%s\r\n", line); err != nil {
			return err
		}
		if _, err := answers.ReadString('\n'); err != nil {
			return err
		}
	}
	return nil
}

// Writes to a connection are seen: a mail that is sent again after a crash is found, and told by its line. The server's answer may come
// or not: what counts is what it did.
func TestDialer(t *testing.T) {
	c := proof.Case[parcel, *post]{World: newPost, Kind: ship, Args: parcel{"p-1"}, Handle: (*post).send, Observe: (*post).look}
	c.Replay = "A1:crash"
	r, err := proof.Run(c)
	if err != nil || r.Failure != nil {
		t.Fatalf("before anything was written: %v\n%s", err, r)
	}
	if all := strings.Join(r.Places, "\n"); r.Points != 5 || !strings.Contains(all, "before write to mail.test:25: MAIL FROM:<a@b.test>") {
		t.Errorf("%d points:\n%s", r.Points, all)
	}
	c.Replay = "A5:crash"
	if r, err = proof.Run(c); err != nil || r.Failure == nil || !strings.Contains(r.String(), "made twice, not once: write to mail.test:25: .") {
		t.Errorf("%v\n%s", err, r)
	}
	c.Replay = "A3:error"
	if r, err = proof.Run(c); err != nil || r.Failure != nil {
		t.Errorf("a connection that broke before the last line: %v\n%s", err, r)
	}
}
