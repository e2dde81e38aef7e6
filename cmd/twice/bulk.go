package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/twicehq/twice/queue"
)

// bulk is how a change of many jobs at once is bounded and confirmed.
type bulk struct {
	DryRun bool `help:"Count and say what would be done; change nothing."`
	Yes    bool `short:"y" help:"Do it without asking. Required where nobody can be asked."`
	Limit  int  `help:"Change at most so many (${default})." default:"10000" placeholder:"N"`
}

const (
	maxBulk  = 1_000_000
	scanPage = 500 // records of a page, since each may carry a payload
	chunk    = 500 // changes of a call: few enough to hold up nobody
)

func (b bulk) check(op string) error {
	if b.Limit < 1 || b.Limit > maxBulk {
		return usagef(op, fmt.Sprintf("use 1 to %s", count(maxBulk)), "--limit is %d", b.Limit)
	}
	return nil
}

// found is what a scan found.
type found struct {
	ids     []queue.ID
	leftOut int  // seen, and not to be changed
	more    bool // the limit stopped it
}

// scan gathers the ids of the jobs that q selects and keep takes, at most limit of them.
func (s *session) scan(ctx context.Context, look queue.Inspector, q queue.Query, limit int, keep func(queue.Record) bool) (found, error) {
	bar := s.progress("looking", 0)
	defer bar.end()
	var f found
	q.Limit = scanPage
	for {
		page, err := look.List(ctx, q)
		if err != nil {
			return f, err
		}
		for _, r := range page.Records {
			switch {
			case !keep(r):
				f.leftOut++
			case len(f.ids) == limit:
				f.more = true
				return f, nil
			default:
				f.ids = append(f.ids, r.Job.ID)
			}
		}
		bar.add(len(page.Records))
		if q.Cursor = page.Next; q.Cursor == "" {
			return f, nil
		}
	}
}

// confirm returns nil when the change may go on: it was told not to ask, or a person says yes. what is the
// change, as in "redrive 3 dead jobs".
func (s *session) confirm(b bulk, op, what string) error {
	if b.Yes {
		return nil
	}
	if s.json || !s.Terminal(s.Stdin) || !s.Terminal(s.Stderr) {
		return usage(op, "it would "+what+", and there is nobody to ask whether to; nothing was changed", "add --yes to do it, or --dry-run to only count")
	}
	_ = s.write(s.Stderr, []byte("This will "+what+". Type yes to go on: "))
	answer, _ := bufio.NewReader(s.Stdin).ReadString('\n')
	if a := strings.ToLower(strings.TrimSpace(answer)); a == "yes" || a == "y" {
		return nil
	}
	s.note("Not confirmed: nothing was changed.")
	return errBad
}

// parseIDs reads ids as a person gives them, and reports all that are none at once.
func parseIDs(op string, texts []string) ([]queue.ID, error) {
	if len(texts) > queue.MaxPage {
		return nil, usagef(op, "use a filter, or several commands", "%d ids, the limit is %d", len(texts), queue.MaxPage)
	}
	var problems queue.Problems
	ids := make([]queue.ID, len(texts))
	for i, text := range texts {
		id, err := queue.ParseID(text)
		if err != nil {
			problems = append(problems, err)
		}
		ids[i] = id
	}
	switch len(problems) {
	case 0:
		return ids, nil
	case 1:
		return nil, problems[0]
	}
	return nil, &queue.Error{Op: op, Reason: queue.ErrInvalid, Detail: fmt.Sprintf("%d of %d are no ids", len(problems), len(ids)), Cause: problems}
}
