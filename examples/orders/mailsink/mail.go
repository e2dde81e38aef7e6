package mailsink

import (
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
)

// Mail is one mail that the sink accepted.
type Mail struct {
	ID         int       `json:"id"` // 1 for the first accepted, and so on
	From       string    `json:"from"`
	To         []string  `json:"to"`         // of the envelope
	MessageID  string    `json:"message_id"` // without angle brackets; empty if there was none
	Subject    string    `json:"subject"`
	Body       string    `json:"body"` // decoded; lines end in \n
	ReceivedAt time.Time `json:"received_at"`
}

// readMail reads headers and body as they came after DATA. It fails on a mail
// whose headers cannot be parsed, and on a reader that fails.
func readMail(r io.Reader) (Mail, error) {
	msg, err := mail.ReadMessage(r)
	if err != nil {
		return Mail{}, err
	}
	body := msg.Body
	if strings.EqualFold(msg.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return Mail{}, err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	if err != nil {
		subject = msg.Header.Get("Subject") // as it came
	}
	id := strings.TrimSpace(msg.Header.Get("Message-ID"))
	return Mail{
		MessageID: strings.TrimSuffix(strings.TrimPrefix(id, "<"), ">"),
		Subject:   subject,
		Body:      strings.ReplaceAll(string(text), "\r\n", "\n"),
	}, nil
}

// MessageID makes a Message-ID (without angle brackets) from any key and a
// domain. Bytes that a Message-ID may not hold are written as =XX, so that two
// keys never give the same.
func MessageID(key, domain string) string {
	var b strings.Builder
	for i := range len(key) {
		if c := key[i]; isAtom(c) && c != '=' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String() + "@" + domain
}

// isAtom reports whether a byte may stand in an atom of RFC 5322.
func isAtom(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}
