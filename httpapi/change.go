package httpapi

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/twicehq/twice/queue"
)

// Change asks for a change of jobs that are named by id or chosen by a filter: one of the two. Jobs named by id,
// without a rate, are changed before the answer comes. Else the change runs in the background, and the answer is an
// operation to look at and to stop.
type Change struct {
	IDs    []queue.ID `json:"ids,omitempty"` // at most 1,000
	Filter *Filter    `json:"filter,omitempty"`
	// DryRun only counts what would be changed. It needs no who and why.
	DryRun bool `json:"dry_run,omitempty"`
	// Limit is how many are changed at most by a filter: 10,000; up to 1,000,000.
	Limit int `json:"limit,omitempty"`
	// PerSecond is how many are changed in a second at most, in the background: by a filter 100 for a redrive and 1,000
	// for others; up to 10,000. A redrive begins with 10 and doubles every second until that is reached.
	PerSecond int `json:"per_second,omitempty"`
	// StopAfterSame ends a redrive once so many of those redriven failed again with an error of the signature that they
	// had died of, where that is at least half of those of which anything is known: 10; up to 1,000,000.
	StopAfterSame int `json:"stop_after_same,omitempty"`
	// Operation names the operation, 32 hexadecimal digits: the same request with the same name again is the same
	// operation, as long as that is kept. None: a new one.
	Operation string `json:"operation,omitempty"`
	Why
}

// Filter chooses jobs by all that it says. To choose all dead jobs it says all, and nothing else.
type Filter struct {
	Queue  string       `json:"queue,omitempty"`
	Kind   string       `json:"kind,omitempty"`
	Reason queue.Reason `json:"reason,omitempty"` // of dead jobs
	// Signature is that of their error, as a group of dead jobs has it.
	Signature *string `json:"signature,omitempty"`
	All       bool    `json:"all,omitempty"`
}

// Bounds of a change.
const (
	defaultBulk  = 10_000
	maxBulk      = 1_000_000
	defaultRate  = 1000
	redriveRate  = 100
	maxRate      = 10_000
	defaultSame  = 10
	maxStopAfter = 1_000_000
	maxRefusals  = 100 // that an operation names
	chunk        = 500 // changes of one call: few enough to hold up nobody
	firstSecond  = 10
	maxSignature = 2 * queue.MaxSignature // bytes of one that is asked for
)

var operationIDs = regexp.MustCompile(`^[0-9a-f]{32}$`)

// reasonWords are those of dead and cancelled jobs.
var reasonWords = []string{"failures", "crashes", "interruptions", "snoozes", "buried", "undecodable", "deadline", "in_doubt", "cancelled", "discarded"}

// checked fills in defaults; rate is that of a filter. It fails with ErrInvalid, naming everything that is wrong at once.
func (ch Change) checked(op string, rate int) (Change, error) {
	var found queue.Problems
	wrong := func(field, detail, remedy string) {
		found = append(found, invalid(op, "field "+field, detail, remedy))
	}
	number := func(field string, n *int, byDefault, limit int) {
		if *n < 0 || *n > limit {
			wrong(field, fmt.Sprintf("it is %d", *n), fmt.Sprintf("use 1 to %d", limit))
		} else if *n == 0 {
			*n = byDefault
		}
	}
	switch {
	case len(ch.IDs) > 0 && ch.Filter != nil:
		wrong("filter", "there are ids and a filter as well", "give one of the two")
	case len(ch.IDs) == 0 && ch.Filter == nil:
		wrong("ids", "it does not say which jobs", `give ids, or a filter; {"all": true} is one`)
	case len(ch.IDs) > queue.MaxPage:
		wrong("ids", fmt.Sprintf("there are %d, the limit is %d", len(ch.IDs), queue.MaxPage), "use a filter, or several requests")
	case slices.ContainsFunc(ch.IDs, queue.ID.IsZero):
		wrong("ids", "one is empty", "leave it out")
	case ch.Filter != nil:
		found = append(found, ch.Filter.problems(op)...)
	}
	if ch.Filter == nil {
		rate = 0 // at once
	}
	number("limit", &ch.Limit, defaultBulk, maxBulk)
	number("per_second", &ch.PerSecond, rate, maxRate)
	number("stop_after_same", &ch.StopAfterSame, defaultSame, maxStopAfter)
	if ch.Operation != "" && !operationIDs.MatchString(ch.Operation) {
		wrong("operation", "it is not 32 hexadecimal digits in lower case", "leave it out for a new one")
	}
	return ch, joined(op, "change", found)
}

func (f *Filter) problems(op string) (found queue.Problems) {
	wrong := func(field, detail, remedy string) {
		found = append(found, invalid(op, "field filter."+field, detail, remedy))
	}
	some := f.Queue != "" || f.Kind != "" || f.Reason != "" || f.Signature != nil
	switch {
	case f.All && some:
		wrong("all", "it says all, and something else as well", "give one of the two")
	case !f.All && !some:
		wrong("all", "it does not say which jobs", "give queue, kind, reason or signature; or all")
	}
	for what, name := range map[string]string{"queue": f.Queue, "kind": f.Kind} {
		if err := queue.CheckName(what, name); name != "" && err != nil {
			found = append(found, err)
		}
	}
	if f.Reason != "" && !slices.Contains(reasonWords, string(f.Reason)) {
		wrong("reason", fmt.Sprintf("there is no %.40q", string(f.Reason)), "use one of "+fmt.Sprint(reasonWords))
	}
	if f.Signature != nil && len(*f.Signature) > maxSignature {
		wrong("signature", fmt.Sprintf("it has %d bytes, the limit is %d", len(*f.Signature), maxSignature), "give one that /api/v1/dead/groups gave")
	}
	return found
}

func (ch Change) background() bool { return ch.Filter != nil || ch.PerSecond > 0 }
