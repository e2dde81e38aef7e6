package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"strings"

	"github.com/twicehq/twice/queue"
)

// Role says what a token allows.
type Role uint8

const (
	Nobody   Role = iota // no token: health only
	Viewer               // may look at everything
	Operator             // may change as well
)

func (r Role) String() string { return [...]string{"nobody", "viewer", "operator"}[min(r, Operator)] }

// Who is the holder of a token.
type Who struct {
	Name string
	Role Role
}

// Tokens are those that the API knows. They keep hashes, so nothing that prints or logs them tells a token. The
// zero value knows none.
type Tokens struct{ known []grant }

type grant struct {
	sum [sha256.Size]byte
	who Who
}

// Bounds of a token, in bytes.
const (
	MinToken = 16
	MaxToken = 256
)

// maxTokens bounds what each request is compared with.
const maxTokens = 1000

// ParseTokens reads what TWICE_TOKENS holds: role:name=TOKEN, separated by commas.
//
//	operator:alice=TOKEN,viewer:bob=TOKEN
//
// A role is viewer or operator; a name may have several tokens, so that one can be replaced; a token is MinToken to
// MaxToken printable ASCII characters without a space or a comma, and is there once. No text is no tokens. It fails
// with ErrInvalid, naming everything that is wrong at once, and never a token.
func ParseTokens(text string) (Tokens, error) {
	var t Tokens
	var found queue.Problems
	if strings.TrimSpace(text) == "" {
		return t, nil
	}
	for i, part := range strings.Split(text, ",") {
		one, err := parseToken(strings.TrimSpace(part))
		if err == "" && t.find(one.sum) != nil {
			err = "it is there already"
		}
		if err != "" {
			found = append(found, invalid("parse tokens", fmt.Sprintf("entry %d", i+1), err, "write operator:NAME=TOKEN or viewer:NAME=TOKEN, separated by commas"))
			continue
		}
		t.known = append(t.known, one)
	}
	if len(t.known) > maxTokens {
		found = append(found, &queue.Error{Op: "parse tokens", Reason: queue.ErrTooLarge, Detail: fmt.Sprintf("%d tokens, the limit is %d", len(t.known), maxTokens), Remedy: "use fewer"})
	}
	if err := joined("parse tokens", "", found); err != nil {
		return Tokens{}, err
	}
	return t, nil
}

// parseToken gives what is wrong in words that hold nothing of the token.
func parseToken(part string) (grant, string) {
	var t grant
	head, secret, ok := strings.Cut(part, "=")
	role, name, named := strings.Cut(head, ":")
	if !ok || !named {
		return t, "it is not role:name=TOKEN"
	}
	switch role {
	case "viewer":
		t.who.Role = Viewer
	case "operator":
		t.who.Role = Operator
	default:
		return t, "its role is neither viewer nor operator"
	}
	if queue.CheckName("holder", name) != nil {
		return t, "its name is not 1 to 64 of a-z A-Z 0-9 . _ - beginning with a letter or digit"
	}
	if len(secret) < MinToken || len(secret) > MaxToken {
		return t, fmt.Sprintf("its token has %d characters, use %d to %d", len(secret), MinToken, MaxToken)
	}
	for i := range len(secret) {
		if c := secret[i]; c <= ' ' || c > '~' {
			return t, "its token has a character that is not printable ASCII"
		}
	}
	t.who.Name, t.sum = name, sha256.Sum256([]byte(secret))
	return t, ""
}

// Any reports whether any token is known.
func (t Tokens) Any() bool { return len(t.known) > 0 }

// Holder says whose token it is; false where it is not known. It takes the same time whichever it is, and compares
// hashes of it with all.
func (t Tokens) Holder(secret string) (Who, bool) {
	found := t.find(sha256.Sum256([]byte(secret)))
	if found == nil {
		return Who{}, false
	}
	return found.who, true
}

func (t Tokens) find(sum [sha256.Size]byte) *grant {
	at := -1
	for i := range t.known {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], t.known[i].sum[:]), i, at)
	}
	if at < 0 {
		return nil
	}
	return &t.known[at]
}

// String tells how many there are, and nothing else.
func (t Tokens) String() string { return fmt.Sprintf("%d tokens", len(t.known)) }

// GoString is String.
func (t Tokens) GoString() string { return t.String() }

// LogValue is String.
func (t Tokens) LogValue() slog.Value { return slog.StringValue(t.String()) }

// MarshalText is String.
func (t Tokens) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Format is String, whatever the verb.
func (t Tokens) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }
