package mailsink

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
)

// Letter is a mail to be sent.
type Letter struct {
	MessageID string // without angle brackets; MessageID makes one from a key
	To        string // one address, in ASCII
	Subject   string // one line of UTF-8, at most 500 bytes
	Body      string // UTF-8 text; it arrives with a line end after its last line
}

// These keep a header line within the 998 bytes that SMTP allows.
const (
	maxMessageID = 900
	maxSubject   = 500
)

// write puts the mail into the form that is sent, with \n at line ends. It
// fails, naming every fault, on a letter that cannot be sent.
func (m Letter) write(from string, now time.Time) ([]byte, error) {
	var errs []error
	if err := checkMessageID(m.MessageID); err != nil {
		errs = append(errs, fmt.Errorf("MessageID: %w", err))
	}
	if err := checkAddress(m.To); err != nil {
		errs = append(errs, fmt.Errorf("field To: %w", err))
	}
	if strings.ContainsAny(m.Subject, "\r\n\x00") || len(m.Subject) > maxSubject {
		errs = append(errs, fmt.Errorf("field Subject: it has %d bytes; give one line without NUL, of at most %d", len(m.Subject), maxSubject))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Date: %s\n", now.Format(time.RFC1123Z))
	fmt.Fprintf(&b, "From: <%s>\nTo: <%s>\nMessage-ID: <%s>\n", from, m.To, m.MessageID)
	// The encoder makes words that a long subject is folded between.
	fmt.Fprintf(&b, "Subject: %s\n", strings.ReplaceAll(mime.QEncoding.Encode("utf-8", m.Subject), "?= =?", "?=\n =?"))
	b.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n")
	w := quotedprintable.NewWriter(&b)
	_, err := w.Write([]byte(m.Body))
	return b.Bytes(), errors.Join(err, w.Close())
}

// checkMessageID accepts left@right of printable ASCII.
func checkMessageID(id string) error {
	left, right, ok := strings.Cut(id, "@")
	if !ok || left == "" || right == "" || len(id) > maxMessageID {
		return fmt.Errorf("%q is not left@right of at most %d bytes; make one with MessageID", id, maxMessageID)
	}
	for i := range len(id) {
		if c := id[i]; !isAtom(c) && c != '.' && c != '@' || c == '@' && i != len(left) {
			return fmt.Errorf("%q holds %q, which none may; make one with MessageID", id, c)
		}
	}
	return nil
}

// checkAddress accepts a bare address of ASCII.
func checkAddress(addr string) error {
	for i := range len(addr) {
		if addr[i] <= ' ' || addr[i] > '~' {
			return fmt.Errorf("%q is not an address of printable ASCII", addr)
		}
	}
	if parsed, err := mail.ParseAddress(addr); err != nil || parsed.Address != addr {
		return fmt.Errorf("%q is not a bare address; give one such as a@shop.test", addr)
	}
	return nil
}
