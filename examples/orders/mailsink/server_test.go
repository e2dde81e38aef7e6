package mailsink_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/examples/orders/mailsink"
)

func TestObserverCountsByMessageID(t *testing.T) {
	s := start(t, mailsink.Config{PageSize: 2})
	for _, key := range []string{"a", "b", "a", "c"} {
		s.send(t, key, key+"@shop.test")
	}
	tally, err := s.observer.Tally(t.Context(), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	if tally.Mails != 4 || tally.MessageIDs != 3 || tally.Most != 2 ||
		len(tally.Counts) != 1 || tally.Counts[0] != (mailsink.Count{MessageID: "a@orders.test", N: 2}) {
		t.Errorf("tally = %+v", tally)
	}
	var ids []string
	for cursor, more := 0, true; more; {
		tally, err := s.observer.Tally(t.Context(), 1, cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range tally.Counts {
			ids = append(ids, c.MessageID)
		}
		cursor, more = tally.NextCursor, tally.More
	}
	if got := strings.Join(ids, " "); got != "a@orders.test b@orders.test c@orders.test" {
		t.Errorf("ids = %s", got)
	}
}

func TestObserverPicksMails(t *testing.T) {
	s := start(t, mailsink.Config{PageSize: 2})
	for i := range 5 {
		s.send(t, fmt.Sprintf("k%d", i%3), fmt.Sprintf("to%d@shop.test", i%2))
	}
	for name, row := range map[string]struct {
		query mailsink.Query
		ids   string
	}{
		"all":           {mailsink.Query{Limit: 10}, "[1 2 3 4 5]"},
		"a page":        {mailsink.Query{}, "[1 2]"},
		"to":            {mailsink.Query{To: "to1@shop.test"}, "[2 4]"},
		"message id":    {mailsink.Query{MessageID: "k0@orders.test"}, "[1 4]"},
		"both":          {mailsink.Query{MessageID: "k0@orders.test", To: "to0@shop.test"}, "[1]"},
		"cursor and to": {mailsink.Query{To: "to0@shop.test", Cursor: 1}, "[3 5]"},
		"past the end":  {mailsink.Query{Cursor: 99}, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			ids := []int{}
			for _, m := range s.mails(t, row.query) {
				ids = append(ids, m.ID)
			}
			if got := fmt.Sprint(ids); got != row.ids {
				t.Errorf("ids = %s, want %s", got, row.ids)
			}
		})
	}
	var read []int
	for q, more := (mailsink.Query{To: "to0@shop.test"}), true; more; {
		page, err := s.observer.Mails(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Mails {
			read = append(read, m.ID)
		}
		q.Cursor, more = page.NextCursor, page.More
	}
	if got := fmt.Sprint(read); got != "[1 3 5]" {
		t.Errorf("page by page: %s, want [1 3 5]", got)
	}
}

func TestHeldAfterAccepting(t *testing.T) {
	s := start(t, mailsink.Config{})
	s.control(t, mailsink.Control{HoldAfter: mailsink.Aim{To: map[string]int{"ann@shop.test": 1}}})
	done := make(chan error, 1)
	go func() { done <- s.sender.Send(t.Context(), letter("k", "ann@shop.test")) }()
	await(t, "the mail is held", func() bool { return len(s.State().Held) == 1 })
	s.send(t, "other", "bob@shop.test") // others pass
	st, err := s.observer.State(t.Context())
	if err != nil || len(st.Held) != 1 || !st.Held[0].Accepted || st.Held[0].MessageID != "k@orders.test" {
		t.Errorf("held = %+v, %v", st.Held, err)
	}
	if st.Control.HoldAfter.Next != 0 || len(st.Control.HoldAfter.To) != 0 {
		t.Errorf("left = %+v, want nothing", st.Control)
	}
	if n := len(s.mails(t, mailsink.Query{To: "ann@shop.test"})); n != 1 {
		t.Errorf("while held: %d mails, want 1", n)
	}
	if n, err := s.observer.Release(t.Context(), "bob@shop.test"); n != 0 || err != nil {
		t.Errorf("released %d, %v; want 0", n, err)
	}
	if n, err := s.observer.Release(t.Context(), "ann@shop.test"); n != 1 || err != nil {
		t.Errorf("released %d, %v; want 1", n, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestHoldsAreBounded(t *testing.T) {
	s := start(t, mailsink.Config{MaxHeld: 1})
	s.control(t, mailsink.Control{HoldBefore: mailsink.Aim{Next: mailsink.Always}})
	done := make(chan error, 1)
	go func() { done <- s.sender.Send(t.Context(), letter("k", "ann@shop.test")) }()
	await(t, "the mail is held", func() bool { return len(s.State().Held) == 1 })
	err := s.sender.Send(t.Context(), letter("k2", "bob@shop.test"))
	if !errors.Is(err, mailsink.ErrNotSent) {
		t.Errorf("err = %v, want ErrNotSent", err)
	}
	if n := s.State().Counts.HoldsRefused; n != 1 {
		t.Errorf("%d holds refused, want 1", n)
	}
	if err := s.Close(); err != nil { // ends the held mail without a reply
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, mailsink.ErrUnknown) {
		t.Errorf("held when closed: %v, want ErrUnknown", err)
	}
	if n := len(s.mails(t, mailsink.Query{})); n != 0 {
		t.Errorf("%d mails, want none", n)
	}
}

func TestBoundsAreRefusedNotDropped(t *testing.T) {
	s := start(t, mailsink.Config{MaxMails: 1, MaxBytes: 2000})
	large := letter("big", "ann@shop.test")
	large.Body = strings.Repeat("x", 3000)
	if err := s.sender.Send(t.Context(), large); !errors.Is(err, mailsink.ErrRefused) {
		t.Errorf("too large: %v, want ErrRefused", err)
	}
	s.send(t, "a", "ann@shop.test")
	err := s.sender.Send(t.Context(), letter("b", "ann@shop.test"))
	if !errors.Is(err, mailsink.ErrNotSent) || errors.Is(err, mailsink.ErrRefused) {
		t.Fatalf("full: %v, want ErrNotSent for now", err)
	}
	contains(t, err.Error(), "MaxMails")
	if all := s.mails(t, mailsink.Query{}); len(all) != 1 || all[0].MessageID != "a@orders.test" {
		t.Errorf("mails = %+v", all)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	s := start(t, mailsink.Config{MaxSessions: 1})
	s.control(t, mailsink.Control{HoldBefore: mailsink.Aim{Next: 1}})
	done := make(chan error, 1)
	go func() { done <- s.sender.Send(t.Context(), letter("a", "ann@shop.test")) }()
	await(t, "the mail is held", func() bool { return len(s.State().Held) == 1 })
	err := s.sender.Send(t.Context(), letter("b", "ann@shop.test"))
	if !errors.Is(err, mailsink.ErrNotSent) || errors.Is(err, mailsink.ErrRefused) {
		t.Errorf("err = %v, want ErrNotSent for now", err)
	}
	s.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	await(t, "the place is free again", func() bool {
		return s.sender.Send(t.Context(), letter("b", "ann@shop.test")) == nil
	})
}

// A sender that dies within a mail has not sent it; headers that are none are refused.
func TestMailsThatAreNotAccepted(t *testing.T) {
	for name, text := range map[string]string{
		"no end":       "Subject: x\r\n\r\nhalf a bo",
		"no headers":   "this is not a header\r\n.\r\n",
		"end of input": "Subj",
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, mailsink.Config{})
			conn, err := net.Dial("tcp", s.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n%s", text)
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			replies := new(strings.Builder)
			buf := make([]byte, 1024)
			for { // until the server has closed, and so is done with the mail
				n, err := conn.Read(buf)
				replies.Write(buf[:n])
				if err != nil {
					break
				}
			}
			contains(t, replies.String(), "354 ", "\n554 ")
			if n := s.State().Counts.Accepted; n != 0 {
				t.Errorf("%d accepted, want none", n)
			}
		})
	}
}

func TestSideBySide(t *testing.T) {
	s := start(t, mailsink.Config{})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if err := s.sender.Send(t.Context(), letter(fmt.Sprint("k", i), "ann@shop.test")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	tally, err := s.observer.Tally(t.Context(), 1, 0)
	if err != nil || tally.Mails != 40 || tally.MessageIDs != 40 || tally.Most != 1 {
		t.Errorf("tally = %+v, %v", tally, err)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	_, err := mailsink.New(mailsink.Config{MaxBytes: -1, MaxMails: -1, PageSize: 2000, Timeout: -1})
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "MaxBytes", "MaxMails", "PageSize", "Timeout")

	s := start(t, mailsink.Config{})
	err = s.observer.Control(t.Context(), mailsink.Control{
		Refuse: mailsink.Aim{Next: -2}, HoldAfter: mailsink.Aim{Drop: true},
		FailAfter: mailsink.Aim{To: map[string]int{"a@b": -5}},
	})
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "status 400", "refuse.next", "hold_after.drop", `fail_after.to["a@b"]`)

	for _, path := range []string{"/mails?limit=0", "/mails?cursor=x", "/counts?min=0", "/counts?limit=9999"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d, want 400", path, w.Code)
		}
	}
	for _, body := range []string{"", "{}{}", `{"fail":1}`} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/control", strings.NewReader(body)))
		if w.Code != http.StatusBadRequest {
			t.Errorf("control %q: %d, want 400", body, w.Code)
		}
	}
}

func TestClosedSinkServesNoMore(t *testing.T) {
	s := start(t, mailsink.Config{})
	s.send(t, "a", "ann@shop.test")
	if err := s.observer.Live(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if err := s.observer.Live(t.Context()); err == nil {
		t.Error("livez of a closed sink gives no error")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ServeSMTP(l); err == nil {
		t.Error("a closed sink serves")
	}
	if n := len(s.mails(t, mailsink.Query{})); n != 1 {
		t.Errorf("%d mails after close, want the 1 accepted", n)
	}
}

func TestObserverBaseIsCheckedAndNotRepeated(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:80", "ftp://u:secret@h"} {
		if _, err := mailsink.NewObserver(base, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", base, err)
		}
	}
}
