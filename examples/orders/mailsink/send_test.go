package mailsink_test

import (
	"context"
	"errors"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/examples/orders/mailsink"
)

func TestMailArrivesAsSent(t *testing.T) {
	s := start(t, mailsink.Config{})
	sent := mailsink.Letter{
		MessageID: mailsink.MessageID("0a1b/receipt:1", "orders.test"), To: "ann@shop.test",
		Subject: "Rechnung für Ann — " + strings.Repeat("größer ", 20),
		Body:    ".\n..dots\nFrom here = ünï\n" + strings.Repeat("long ", 1000) + "\n",
	}
	if err := s.sender.Send(t.Context(), sent); err != nil {
		t.Fatal(err)
	}
	all := s.mails(t, mailsink.Query{})
	if len(all) != 1 {
		t.Fatalf("%d mails, want 1", len(all))
	}
	got := all[0]
	if got.ID != 1 || got.From != "shop@orders.test" || len(got.To) != 1 || got.To[0] != sent.To ||
		got.MessageID != "0a1b/receipt=3A1@orders.test" || got.ReceivedAt.IsZero() {
		t.Errorf("got %+v", got)
	}
	if got.Subject != sent.Subject {
		t.Errorf("subject %q, want %q", got.Subject, sent.Subject)
	}
	if got.Body != sent.Body {
		t.Errorf("body %q, want %q", got.Body, sent.Body)
	}
}

func TestMessageIDsDifferWhereKeysDo(t *testing.T) {
	seen := map[string]string{}
	for _, key := range []string{"a:b", "a=3Ab", "a.b", "a b", "ab", "ä", "a\x00", "="} {
		id := mailsink.MessageID(key, "orders.test")
		if other, twice := seen[id]; twice {
			t.Errorf("%q and %q both give %s", key, other, id)
		}
		seen[id] = key
	}
}

// Each row: what the sink is told, what Send of one mail says, and whether the
// mail is in the sink.
func TestSendTellsNotSentFromUnknown(t *testing.T) {
	one := mailsink.Aim{Next: 1}
	drop := mailsink.Aim{Next: 1, Drop: true}
	byTo := mailsink.Aim{To: map[string]int{"ann@shop.test": 1}}
	for name, row := range map[string]struct {
		told     mailsink.Control
		is       []error
		code     int
		accepted bool
	}{
		"refuse":            {mailsink.Control{Refuse: one}, []error{mailsink.ErrNotSent, mailsink.ErrRefused}, 550, false},
		"refuse by address": {mailsink.Control{Refuse: byTo}, []error{mailsink.ErrNotSent, mailsink.ErrRefused}, 550, false},
		"fail before":       {mailsink.Control{FailBefore: one}, []error{mailsink.ErrNotSent}, 451, false},
		"drop before":       {mailsink.Control{FailBefore: drop}, []error{mailsink.ErrUnknown}, 0, false},
		"fail after":        {mailsink.Control{FailAfter: one}, []error{mailsink.ErrUnknown}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, mailsink.Config{})
			s.control(t, row.told)
			err := s.sender.Send(t.Context(), letter("k1", "ann@shop.test"))
			all := []error{mailsink.ErrNotSent, mailsink.ErrRefused, mailsink.ErrInvalid, mailsink.ErrUnknown}
			for _, kind := range all {
				want := false
				for _, is := range row.is {
					want = want || kind == is
				}
				if errors.Is(err, kind) != want {
					t.Errorf("err = %v; is %q: %v, want %v", err, kind, !want, want)
				}
			}
			if e, ok := errors.AsType[*mailsink.Error](err); !ok || e.Code != row.code || e.Phase != "dot" {
				t.Errorf("err = %#v, want code %d at dot", err, row.code)
			}
			if got := len(s.mails(t, mailsink.Query{})) == 1; got != row.accepted {
				t.Errorf("accepted %v, want %v", got, row.accepted)
			}
			s.send(t, "k1", "ann@shop.test") // its count is used up
		})
	}
}

// Each row is a server that behaves by script: the replies it gives, in order,
// after which it closes the connection.
func TestReplyAtEachPhase(t *testing.T) {
	const greet, ok, dataOK = "220 hi", "250 ok", "354 go"
	for name, row := range map[string]struct {
		replies []string
		phase   string
		is      error
	}{
		"closed at once":    {nil, "hello", mailsink.ErrNotSent},
		"busy greeting":     {[]string{"421 busy"}, "hello", mailsink.ErrNotSent},
		"closed greeted":    {[]string{greet}, "hello", mailsink.ErrNotSent},
		"sender refused":    {[]string{greet, ok, "550 no"}, "from", mailsink.ErrRefused},
		"recipient later":   {[]string{greet, ok, ok, "450 later"}, "to", mailsink.ErrNotSent},
		"no data":           {[]string{greet, ok, ok, ok, "451 no"}, "data", mailsink.ErrNotSent},
		"closed at data":    {[]string{greet, ok, ok, ok}, "data", mailsink.ErrNotSent},
		"closed at the dot": {[]string{greet, ok, ok, ok, dataOK}, "dot", mailsink.ErrUnknown},
		"421 at the dot":    {[]string{greet, ok, ok, ok, dataOK, "421 going down"}, "dot", mailsink.ErrUnknown},
		"noise at the dot":  {[]string{greet, ok, ok, ok, dataOK, "what?"}, "dot", mailsink.ErrUnknown},
		"354 at the dot":    {[]string{greet, ok, ok, ok, dataOK, dataOK}, "dot", mailsink.ErrUnknown},
		"451 at the dot":    {[]string{greet, ok, ok, ok, dataOK, "451 no"}, "dot", mailsink.ErrNotSent},
		"554 at the dot":    {[]string{greet, ok, ok, ok, dataOK, "554 no"}, "dot", mailsink.ErrRefused},
		"closed after 250":  {[]string{greet, ok, ok, ok, dataOK, ok}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := sender(t, scripted(t, row.replies)).Send(t.Context(), letter("k", "ann@shop.test"))
			if row.is == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			e, ok := errors.AsType[*mailsink.Error](err)
			if !ok || !errors.Is(err, row.is) || e.Phase != row.phase {
				t.Fatalf("err = %v, want %v at %s", err, row.is, row.phase)
			}
			if errors.Is(err, mailsink.ErrUnknown) == errors.Is(err, mailsink.ErrNotSent) {
				t.Errorf("err = %v; it must be one of not sent and unknown", err)
			}
		})
	}
}

// scripted serves one connection: a reply at once, then one for each command,
// and one for the whole of a mail.
func scripted(t *testing.T, replies []string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	wg.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		c := textproto.NewConn(conn)
		defer c.Close()
		inMail := false
		for i, reply := range replies {
			if i > 0 && inMail {
				_, err = c.ReadDotBytes()
			} else if i > 0 {
				_, err = c.ReadLine()
			}
			if err != nil || c.PrintfLine("%s", reply) != nil {
				return
			}
			inMail = strings.HasPrefix(reply, "354")
		}
		// The sender's next word is read before closing, so that the reply before
		// is not lost to a reset.
		if inMail {
			_, _ = c.ReadDotBytes()
		} else if len(replies) > 0 {
			_, _ = c.ReadLine()
		}
	})
	return l.Addr().String()
}

func TestNobodyListensIsNotSent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	err = sender(t, addr).Send(t.Context(), letter("k", "ann@shop.test"))
	if !errors.Is(err, mailsink.ErrNotSent) || errors.Is(err, mailsink.ErrUnknown) {
		t.Fatalf("err = %v, want ErrNotSent", err)
	}
	contains(t, err.Error(), "mailsink: send <k@orders.test>", "not sent", "at dial", "safe to send it again")
}

func TestCancelledWhileTheReplyIsAwaitedIsUnknown(t *testing.T) {
	s := start(t, mailsink.Config{})
	s.control(t, mailsink.Control{HoldBefore: mailsink.Aim{Next: 1}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.sender.Send(ctx, letter("k", "ann@shop.test")) }()
	await(t, "the mail is held", func() bool { return len(s.State().Held) == 1 })
	cancel()
	err := <-done
	if !errors.Is(err, mailsink.ErrUnknown) || !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v, want ErrUnknown and context.Canceled", err)
	}
	contains(t, err.Error(), "a person must decide")
	// And so it was right to say unknown: the server still takes it.
	s.Release()
	await(t, "the mail is accepted", func() bool { return s.State().Counts.Accepted == 1 })
}

func TestInvalidLettersAreNotSent(t *testing.T) {
	s := start(t, mailsink.Config{})
	good := letter("k", "ann@shop.test")
	for name, row := range map[string]struct {
		change func(*mailsink.Letter)
		says   string
	}{
		"no id":            {func(m *mailsink.Letter) { m.MessageID = "" }, "MessageID"},
		"id without @":     {func(m *mailsink.Letter) { m.MessageID = "k" }, "MessageID"},
		"id breaks out":    {func(m *mailsink.Letter) { m.MessageID = "k@x>\r\nBcc: <a@b" }, "MessageID"},
		"two @":            {func(m *mailsink.Letter) { m.MessageID = "k@x@y" }, "MessageID"},
		"long id":          {func(m *mailsink.Letter) { m.MessageID = strings.Repeat("k", 900) + "@x" }, "MessageID"},
		"no address":       {func(m *mailsink.Letter) { m.To = "" }, "To"},
		"address breaks":   {func(m *mailsink.Letter) { m.To = "a@b\r\nDATA" }, "To"},
		"address and name": {func(m *mailsink.Letter) { m.To = "Ann <ann@shop.test>" }, "To"},
		"not ASCII":        {func(m *mailsink.Letter) { m.To = "änn@shop.test" }, "To"},
		"subject breaks":   {func(m *mailsink.Letter) { m.Subject = "a\r\nBcc: b@c" }, "Subject"},
		"long subject":     {func(m *mailsink.Letter) { m.Subject = strings.Repeat("a", 501) }, "Subject"},
	} {
		t.Run(name, func(t *testing.T) {
			m := good
			row.change(&m)
			err := s.sender.Send(t.Context(), m)
			if !errors.Is(err, mailsink.ErrInvalid) || !errors.Is(err, mailsink.ErrNotSent) {
				t.Fatalf("err = %v, want ErrInvalid and ErrNotSent", err)
			}
			contains(t, err.Error(), row.says)
		})
	}
	if n := len(s.mails(t, mailsink.Query{})); n != 0 {
		t.Errorf("%d mails, want none", n)
	}
}

func TestSenderConfigNamesEverythingWrong(t *testing.T) {
	_, err := mailsink.NewSender(mailsink.SenderConfig{Addr: "nowhere", From: "nobody", Timeout: -1})
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "Addr", "From", "Timeout")
}
