package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

type deadImportCmd struct {
	File string `arg:"" name:"file" help:"What twice dead export wrote; - for stdin."`
	bulk
}

func (deadImportCmd) Help() string {
	return `Use it to run exported dead jobs again where the engine no longer has them: after they were discarded and forgotten, or in another store. They keep their ids. A job that the engine has is told as a duplicate, and nothing changes: redrive that one. Left out are jobs in doubt; refused are jobs whose effects the ledger here does not know, since they would be made twice.

    twice dead import charges.jsonl --dry-run

After an import into another store, discard the jobs in the first, so that nobody redrives them there as well.`
}

const importOp = "dead import"

func (c deadImportCmd) Run(ctx context.Context, s *session) error {
	if err := c.check(importOp); err != nil {
		return err
	}
	engine, err := s.engine(ctx)
	if err != nil {
		return err
	}
	store, err := s.ledger(ctx, engine)
	if err != nil {
		return err
	}
	letters, err := c.read(s, engine.Traits().MaxPayload)
	if err != nil {
		return err
	}
	done := imported{Read: len(letters), DryRun: c.DryRun}
	jobs, err := s.sift(ctx, store, letters, &done)
	if err != nil {
		return err
	}
	if done.Fit = len(jobs); c.DryRun {
		return done.report(s)
	}
	if len(jobs) > 0 {
		if err := s.confirm(c.bulk, importOp, "hand in "+many(len(jobs), "job", "jobs")+" again"); err != nil {
			return err
		}
	}
	if err := s.handIn(ctx, engine, jobs, &done); err != nil {
		return err
	}
	return done.report(s)
}

// read reads all lines, checked, before anything is changed.
func (c deadImportCmd) read(s *session, maxPayload int) ([]letter, error) {
	if c.File == "-" {
		return s.readLetters(s.Stdin, c.Limit, maxPayload)
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, &queue.Error{Op: importOp, Subject: plain(c.File), Reason: queue.ErrInvalid, Detail: "the file cannot be read", Cause: err, Remedy: "name what `twice dead export` wrote, or - for stdin"}
	}
	defer f.Close()
	return s.readLetters(io.Reader(f), c.Limit, maxPayload)
}

// sift leaves out jobs in doubt and refuses those whose effects the ledger does not know.
func (s *session) sift(ctx context.Context, store ledger.Store, letters []letter, done *imported) ([]queue.Job, error) {
	bar := s.progress("asking the ledger", int64(len(letters)))
	defer bar.end()
	var jobs []queue.Job
	for _, l := range letters {
		bar.add(1)
		if l.Reason == queue.ReasonDoubt {
			done.InDoubt++
			continue
		}
		strange, err := unknownEffect(ctx, store, l.deadLetter)
		switch {
		case err != nil:
			return nil, err
		case strange != "":
			done.refuse(l.ID, &queue.Error{Op: importOp, Subject: l.ID.String(), Reason: queue.ErrRefused,
				Detail: fmt.Sprintf("its effect %q was or may have been made, and the ledger here does not know it", strange),
				Remedy: "import where that ledger is (TWICE_LEDGER); it would be made a second time here"})
		default:
			jobs = append(jobs, l.job)
		}
	}
	return jobs, nil
}

// unknownEffect gives a step that the letter says was or may have been made, and of which the ledger knows less; none: "".
func unknownEffect(ctx context.Context, store ledger.Store, d deadLetter) (string, error) {
	known := map[string]ledger.State{}
	if store != nil && len(d.Effects) > 0 {
		entries, err := store.Entries(ctx, d.ID)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			known[e.Key.Step] = e.State
		}
	}
	for _, e := range d.Effects {
		state, ok := known[e.Step]
		if e.State != queue.EffectDenied && (!ok || e.State == queue.EffectRecorded && state != ledger.Confirmed) {
			return e.Step, nil
		}
	}
	return "", nil
}

// handIn enqueues the jobs, part by part.
func (s *session) handIn(ctx context.Context, engine queue.Engine, jobs []queue.Job, done *imported) error {
	bar := s.progress("importing", int64(len(jobs)))
	defer bar.end()
	size := min(chunk, engine.Traits().MaxBatch)
	for at := 0; at < len(jobs); at += size {
		part := jobs[at:min(at+size, len(jobs))]
		err := ctx.Err()
		var receipts []queue.Receipt
		if err == nil {
			receipts, err = engine.Enqueue(context.WithoutCancel(ctx), part...)
		}
		if err != nil {
			return &queue.Error{Op: importOp, Detail: fmt.Sprintf("stopped after %s of %s", count(at), count(len(jobs))), Cause: err, Remedy: "repeat the command: what was handed in already is told as a duplicate"}
		}
		for _, r := range receipts {
			switch r.Status {
			case queue.Accepted:
				done.Accepted++
			case queue.Duplicate:
				done.Duplicates = append(done.Duplicates, duplicate{r.ID, r.HolderState})
			default:
				done.refuse(r.ID, r.Err)
			}
		}
		bar.add(len(part))
	}
	return nil
}
