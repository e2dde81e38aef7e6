package httpapi

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/twicehq/twice/queue"
)

// Why is the part of every change that says who makes it and for what reason. Both are kept in the audit trail.
type Why struct {
	// Why is the reason, 1 to 4,096 bytes. A dry run needs none.
	Why string `json:"why,omitempty"`
	// Who makes the change: required where the API has no tokens; with tokens it is the token's holder, and may be left out.
	Who string `json:"who,omitempty"`
}

// maxWhy leaves room for what the API adds: how many a change concerned.
const maxWhy = 4 << 10

// actor gives who makes a change. It fails with ErrInvalid, or with ErrForbidden where the body names another than
// the token's holder.
func (c *call) actor(w Why) (queue.Actor, error) {
	by := queue.Actor{Name: c.who.Name, Why: w.Why}
	var found queue.Problems
	wrong := func(field, detail, remedy string) {
		found = append(found, invalid(c.name, "field "+field, detail, remedy))
	}
	switch {
	case by.Name == "" && w.Who == "":
		wrong("who", "it is missing, and there is no token that says it", `add "who"`)
	case by.Name == "":
		if by.Name = w.Who; len(w.Who) > queue.MaxName || strings.ContainsFunc(w.Who, unicode.IsControl) {
			wrong("who", fmt.Sprintf("%.80q is no name", w.Who), fmt.Sprintf("use at most %d bytes and no control characters", queue.MaxName))
		}
	case w.Who != "" && w.Who != by.Name:
		return by, &queue.Error{Op: c.name, Subject: by.Name, Reason: ErrForbidden, Detail: "the token's holder cannot make a change in the name of another", Remedy: `leave "who" out`}
	}
	if w.Why == "" {
		wrong("why", "it is missing, and every change is kept with its reason", `add "why": a few words, or a ticket's number`)
	} else if len(w.Why) > maxWhy {
		wrong("why", fmt.Sprintf("it has %d bytes, the limit is %d", len(w.Why), maxWhy), "say it in fewer words")
	}
	c.by = by
	return by, joined(c.name, "who and why", found)
}
