package dashboard

import (
	"context"
	"errors"
	"net/http"

	"github.com/twicehq/twice/httpapi"
)

// trouble is an error as a visitor is told it: what was tried, why it failed and what to do.
type trouble struct {
	Title    string
	What     string
	Why      string
	Remedy   string
	Problems []string // each of several
	Since    moment   // of an engine that is away
	status   int
	word     string // the API's reason
}

func (t *trouble) Error() string { return t.Title + ": " + t.What + " " + t.Why }

// away reports that the engine, or the API, serves nobody at the moment: what was known before may still be shown.
func (t *trouble) away() bool { return t.status >= 500 && t.status != http.StatusNotImplemented }

// lacks reports that the engine cannot do this at all.
func (t *trouble) lacks() bool { return t.status == http.StatusNotImplemented }

// titles head an error, by the API's reason.
var titles = map[string]string{
	"unauthenticated": "You are not signed in", "forbidden": "You may not do this", "unknown_outcome": "Nobody can tell yet whether it was done",
	"unavailable": "The engine does not answer", "read_only": "The store takes no writes", "full": "The store is full", "corrupt": "The store is damaged",
	"schema": "The store is of another version", "closed": "The server is going down", "unsupported": "This engine cannot do that",
	"too_large": "That is too much", "conflict": "That is in conflict with another", "in_doubt": "An effect is in doubt", "redrive_cap": "It was redriven too often",
	"not_found": "It is not there", "wrong_state": "Its state has changed meanwhile", "cancelled": "It was cancelled", "invalid": "That cannot be read", "refused": "It was refused",
	"lease_lost": "It has changed meanwhile",
}

func troubleOf(err error, n *note) *trouble {
	var known *trouble
	if errors.As(err, &known) {
		return known
	}
	if n == nil || n.fault == nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return &trouble{Title: titles["unavailable"], What: "It did not answer in time.", Remedy: "It is asked again by itself.", status: http.StatusServiceUnavailable, word: "unavailable"}
		}
		return &trouble{Title: "The API does not answer", What: "What came back cannot be shown.", Why: sentence(visible(shorten(err.Error(), 300))),
			Remedy: "Look at the server's log.", status: http.StatusBadGateway, word: "internal"}
	}
	f := n.fault
	t := &trouble{Title: titles[f.Reason], Why: sentence(visible(f.Detail)), Remedy: sentence(visible(f.Remedy)), status: n.status, word: f.Reason}
	if t.Title == "" {
		t.Title = "It did not work"
	}
	t.What = sentence("tried to " + operationWords(f.Op) + of(f))
	for _, p := range f.Problems {
		t.Problems = append(t.Problems, sentence(visible(p.Subject+": "+p.Detail+"; "+p.Remedy)))
	}
	return t
}

// of names what a fault is about, where that says anything.
func of(f *httpapi.Fault) string {
	if f.Subject == "" || f.Subject == "request" {
		return ""
	}
	return " (" + visible(shorten(f.Subject, 100)) + ")"
}

// asTrouble gives the trouble that an error of a page is.
func asTrouble(err error) *trouble {
	if err == nil {
		return nil
	}
	return troubleOf(err, nil)
}

// wrongInput makes a trouble of a visitor's own input.
func wrongInput(what, remedy string) *trouble {
	return &trouble{Title: "That cannot be read", What: what, Remedy: remedy, status: http.StatusBadRequest, word: "invalid"}
}
