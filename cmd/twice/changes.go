package main

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// changes is what became of a change of many jobs.
type changes struct {
	Matched int       `json:"matched"`
	InDoubt int       `json:"left_out_in_doubt"`
	Changed int       `json:"changed"`
	Refused []refusal `json:"refused"`
	More    bool      `json:"more"` // the limit stopped it: there are more
	DryRun  bool      `json:"dry_run"`
}

type refusal struct {
	ID    queue.ID `json:"id"`
	Error fault    `json:"error"`
	err   error
}

// change calls do for ids, part by part. It stops between two parts when ctx ends.
func (s *session) change(ctx context.Context, op string, c *changes, ids []queue.ID, do func(context.Context, []queue.ID) ([]error, error)) error {
	bar := s.progress(op, int64(len(ids)))
	defer bar.end()
	for at := 0; at < len(ids); at += chunk {
		part := ids[at:min(at+chunk, len(ids))]
		err := ctx.Err()
		var errs []error
		if err == nil {
			// A part under way is not cut off: its outcome would be unknown.
			errs, err = do(context.WithoutCancel(ctx), part)
		}
		if err != nil {
			if len(ids) <= chunk {
				return err
			}
			return &queue.Error{Op: op, Detail: fmt.Sprintf("stopped after %s of %s", count(at), count(len(ids))), Cause: err, Remedy: "repeat the command for the rest: what was changed stays changed"}
		}
		for i, err := range errs {
			if err == nil {
				c.Changed++
			} else {
				c.Refused = append(c.Refused, refusal{part[i], explain(err), err})
			}
		}
		bar.add(len(part))
	}
	return nil
}

// report tells what became of it; did is what was done to those changed: "redriven". It fails with errBad where any was refused.
func (s *session) report(c changes, did string) error {
	if s.json {
		if c.Refused == nil {
			c.Refused = []refusal{}
		}
		if err := s.emit(c); err != nil {
			return err
		}
	} else {
		text := many(c.Changed, "job", "jobs") + " " + did
		if c.DryRun {
			text = many(c.Matched, "job", "jobs") + " would be " + did + "; nothing was changed"
		}
		if err := s.say("%s", text); err != nil {
			return err
		}
		if c.InDoubt > 0 {
			s.note("%s left out: in doubt, so each needs a person's answer (`twice dead list --reason in_doubt`)", many(c.InDoubt, "job", "jobs"))
		}
		if c.More {
			s.note("--limit stopped it: there are more; run it again for the next")
		}
		const shown = 10
		for i, r := range c.Refused {
			if i == shown {
				s.note("… and %s more refused; --json names each", count(len(c.Refused)-shown))
				break
			}
			_ = s.write(s.Stderr, []byte(r.Error.text(s)))
		}
	}
	if len(c.Refused) > 0 {
		return errBad
	}
	return nil
}
