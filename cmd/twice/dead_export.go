package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

type deadExportCmd struct {
	Queue  string `help:"Only of this queue." placeholder:"NAME"`
	Kind   string `help:"Only of this kind." placeholder:"NAME"`
	Reason string `help:"Only for this reason: failures, crashes, in_doubt, buried, …" placeholder:"WORD"`
	Out    string `help:"Write to this file, which must not be there yet; else to stdout." placeholder:"FILE"`
}

func (deadExportCmd) Help() string {
	return `Use it to keep or to look through dead jobs elsewhere, or before discarding them. It changes nothing. A line holds all of a job, its payload included, so guard the file as you guard the queue; texts that may be any bytes are in base64.

    twice dead export --kind orders.charge --out charges.jsonl`
}

const exportOp = "dead export"

func (c deadExportCmd) Run(ctx context.Context, s *session) error {
	q := queue.Query{State: queue.Dead, Queue: c.Queue, Kind: c.Kind, Reason: queue.Reason(c.Reason), Limit: scanPage}
	if err := checkFilter(exportOp, q); err != nil {
		return err
	}
	engine, look, err := with[queue.Inspector](ctx, s, exportOp)
	if err != nil {
		return err
	}
	store, err := s.ledger(ctx, engine)
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err := s.export(ctx, look, store, q, s.Stdout)
		return err
	}
	n, err := s.exportTo(ctx, look, store, q, c.Out)
	switch {
	case err != nil:
		return err
	case s.json:
		return s.emit(struct {
			Exported int    `json:"exported"`
			File     string `json:"file"`
		}{n, c.Out})
	}
	return s.say("%s written to %s", many(n, "dead job", "dead jobs"), plain(c.Out))
}

// exportTo writes a new file that only this user may read. It is there whole or not at all.
func (s *session) exportTo(ctx context.Context, look queue.Inspector, store ledger.Store, q queue.Query, path string) (int, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, usage(exportOp, "the file "+plain(path)+" is there already", "name a new one, or move that one away")
	} else if err != nil {
		return 0, &queue.Error{Op: exportOp, Subject: plain(path), Reason: queue.ErrInvalid, Detail: "the file cannot be made", Cause: err, Remedy: "name one in a folder that you may write to"}
	}
	n, err := s.export(ctx, look, store, q, f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return n, err
}

// export writes a line for each dead job that q selects, newest first, and gives their number.
func (s *session) export(ctx context.Context, look queue.Inspector, store ledger.Store, q queue.Query, to io.Writer) (int, error) {
	bar := s.progress("exporting", 0)
	defer bar.end()
	out := bufio.NewWriter(to)
	n := 0
	for {
		page, err := look.List(ctx, q)
		if err != nil {
			return n, err
		}
		for _, r := range page.Records {
			effects := r.Effects
			if store != nil {
				entries, err := store.Entries(ctx, r.Job.ID)
				if err != nil {
					return n, err
				}
				effects = together(ledger.List(entries), effects)
			}
			line, err := json.Marshal(letterOf(r, effects))
			if err != nil {
				return n, &queue.Error{Op: exportOp, Subject: r.Job.ID.String(), Reason: queue.ErrCorrupt, Cause: err}
			}
			if err := s.write(out, append(harmlessJSON(line), '\n')); err != nil {
				return n, err
			}
			n++
		}
		bar.add(len(page.Records))
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if err := out.Flush(); err != nil {
		return n, &queue.Error{Op: exportOp, Reason: errOutput, Cause: err}
	}
	return n, nil
}

// together adds to what the ledger has what only the job's record lists.
func together(ledger, record []queue.Effect) []queue.Effect {
	for _, e := range record {
		known := false
		for _, have := range ledger {
			known = known || have.Step == e.Step
		}
		if !known {
			ledger = append(ledger, e)
		}
	}
	return ledger
}
