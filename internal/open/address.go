package open

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/twicehq/twice/queue"
)

// address is an engine's URL, taken apart.
type address struct {
	scheme string // in lower case, one of the known ones
	rest   string // what is between the scheme and the query, as written
	query  string
	shown  string // safe to show
}

// known are the schemes that are names of engines, those to come included.
var known = []string{"memory", "sqlite", "redis", "rediss", "postgres", "postgresql", "sqs", "kafka", "bullmq"}

const urlRemedy = "write sqlite:PATH, such as sqlite:twice.db; or memory: to try things out"

func parse(raw string) (address, error) {
	scheme, rest, found := strings.Cut(raw, ":")
	scheme = strings.ToLower(scheme)
	if !found || !slices.Contains(known, scheme) {
		e := &queue.Error{Op: "open", Subject: "engine " + Redacted(raw), Reason: queue.ErrInvalid, Detail: "it does not begin with the name of an engine", Remedy: urlRemedy}
		if raw == "" {
			e.Subject, e.Detail = "engine", "its URL is empty"
		} else if !found && harmless(raw) {
			e.Remedy = "for a file write sqlite:" + raw
		}
		return address{}, e
	}
	rest, query, _ := strings.Cut(rest, "?")
	return address{scheme: scheme, rest: rest, query: query, shown: Redacted(raw)}, nil
}

// ErrVersion: the technology is one that this version of twice has no engine for.
var ErrVersion = errors.New("not in this version")

// absent says that this version does not have the engine.
func (a address) absent(op string) error {
	return &queue.Error{Op: op, Subject: a.shown, Reason: ErrVersion, Detail: "it has no " + a.scheme + " engine yet",
		Remedy: "use sqlite:PATH, which needs nothing installed, or a later version that has it"}
}

// path reads what follows sqlite: as a file's path, in which %XX stands for a byte, as in any URL.
func (a address) path() (string, error) {
	wrong := func(detail, remedy string) (string, error) {
		return "", &queue.Error{Op: "open", Subject: a.shown, Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy}
	}
	rest := a.rest
	if strings.HasPrefix(rest, "//") {
		if !strings.HasPrefix(rest, "///") {
			return wrong("it names a host", "write sqlite:PATH, or sqlite:///PATH for one that begins at the root")
		}
		rest = rest[2:]
	}
	path, err := url.PathUnescape(rest)
	switch {
	case err != nil:
		return wrong("its path has a % that no two hexadecimal digits follow", "write %25 for a percent sign")
	case strings.ContainsRune(path, 0):
		return wrong("its path holds a NUL", "name a file")
	case path == "" || path == ":memory:":
		return wrong("it names no file", urlRemedy)
	}
	return path, nil
}

// Redacted gives raw as it may be shown: without the name, password and parameters in it. Of what is no
// engine's URL, and might be anything, it gives only what looks like a plain path.
func Redacted(raw string) string {
	scheme, rest, found := strings.Cut(raw, ":")
	switch scheme = strings.ToLower(scheme); {
	case !found && harmless(raw):
		return fmt.Sprintf("%q", raw)
	case !found || !slices.Contains(known, scheme):
		return fmt.Sprintf("URL (%d characters, not shown: it may hold a password)", len(raw))
	case scheme == "sqlite" || scheme == "memory":
		path, _, _ := strings.Cut(rest, "?")
		return scheme + ":" + path
	}
	slashes := ""
	if strings.HasPrefix(rest, "//") {
		slashes, rest = "//", rest[2:]
	}
	// A password may hold any of "/?@", escaped or not: what is shown comes after the last @.
	user := ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, rest = "xxxxx@", rest[at+1:]
	}
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	if slashes == "" && user == "" {
		rest = "…" // no URL: perhaps a data source name, with a password in it
	}
	return scheme + ":" + slashes + user + rest
}

// harmless reports whether raw can be nothing but a path.
func harmless(raw string) bool {
	return raw != "" && len(raw) <= 200 && strings.Trim(raw, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == ""
}
