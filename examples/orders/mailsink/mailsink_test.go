package mailsink_test

import (
	"context"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/mailsink"
)

// sink is a running sink with both of its sides and a sender to it.
type sink struct {
	*mailsink.Server
	sender   *mailsink.Sender
	observer *mailsink.Observer
	addr     string
}

func start(t *testing.T, cfg mailsink.Config) sink {
	t.Helper()
	s, err := mailsink.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.ServeSMTP(l) }()
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		web.Close()
	})
	observer, err := mailsink.NewObserver(web.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sink{s, sender(t, l.Addr().String()), observer, l.Addr().String()}
}

func sender(t *testing.T, addr string) *mailsink.Sender {
	t.Helper()
	s, err := mailsink.NewSender(mailsink.SenderConfig{Addr: addr, From: "shop@orders.test"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func letter(key, to string) mailsink.Letter {
	return mailsink.Letter{
		MessageID: mailsink.MessageID(key, "orders.test"), To: to,
		Subject: "Your receipt", Body: "Thank you.\n",
	}
}

func (s sink) send(t *testing.T, key, to string) {
	t.Helper()
	if err := s.sender.Send(t.Context(), letter(key, to)); err != nil {
		t.Fatal(err)
	}
}

func (s sink) control(t *testing.T, told mailsink.Control) {
	t.Helper()
	if err := s.observer.Control(t.Context(), told); err != nil {
		t.Fatal(err)
	}
}

func (s sink) mails(t *testing.T, q mailsink.Query) []mailsink.Mail {
	t.Helper()
	page, err := s.observer.Mails(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return page.Mails
}

// await polls until the condition holds; ten seconds without it fail the test.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("still not so: %s", what)
		}
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}
