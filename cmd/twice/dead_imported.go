package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/twicehq/twice/queue"
)

// letter is a dead letter of an export, with the job to be handed in.
type letter struct {
	deadLetter
	job queue.Job
}

const (
	maxImport   = 256 << 20 // bytes of a file: it is read whole before anything is changed
	letterExtra = 1 << 20   // bytes of a line beside payload and checkpoint: attempts with their errors
)

// readLetters reads and checks every line, and reports all that is wrong at once.
func (s *session) readLetters(from io.Reader, limit, maxPayload int) ([]letter, error) {
	in := bufio.NewScanner(io.LimitReader(from, maxImport+1))
	in.Buffer(nil, 3*maxPayload+letterExtra)
	var letters []letter
	var problems queue.Problems
	n, size := 0, 0
	for in.Scan() {
		n++
		if size += len(in.Bytes()) + 1; size > maxImport {
			return nil, usagef(importOp, "split it and import the parts", "it is larger than %s bytes", count(maxImport))
		}
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		d, job, err := readLetter(line, maxPayload, s.Now())
		switch {
		case err != nil:
			problems = append(problems, &queue.Error{Op: importOp, Subject: fmt.Sprintf("line %d", n), Reason: queue.ErrInvalid, Detail: fmt.Sprintf("line %d", n), Cause: err, Remedy: explain(err).Remedy})
		case len(letters) == limit:
			return nil, usagef(importOp, "raise --limit, or split it", "it has more than %s lines", count(limit))
		}
		if len(problems) == 10 {
			break
		}
		letters = append(letters, letter{d, job})
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &queue.Error{Op: importOp, Reason: queue.ErrTooLarge, Detail: fmt.Sprintf("line %d is too long to be a dead letter of this engine", n+1), Remedy: "give what `twice dead export` wrote; or raise max_payload in the engine's URL"}
	case err != nil:
		return nil, &queue.Error{Op: importOp, Reason: queue.ErrInvalid, Detail: "it cannot be read", Cause: err, Remedy: "name a file that you may read"}
	case len(problems) > 0:
		return nil, &queue.Error{Op: importOp, Reason: queue.ErrInvalid, Detail: fmt.Sprintf("%d lines (or more) are no dead letters; nothing was changed", len(problems)), Cause: problems}
	}
	return letters, nil
}

// imported is what became of an import.
type imported struct {
	Read       int         `json:"read"`
	InDoubt    int         `json:"left_out_in_doubt"`
	Fit        int         `json:"fit"` // to be handed in
	Accepted   int         `json:"accepted"`
	Duplicates []duplicate `json:"duplicates"`
	Refused    []refusal   `json:"refused"`
	DryRun     bool        `json:"dry_run"`
}

type duplicate struct {
	ID    queue.ID    `json:"id"`
	State queue.State `json:"holder_state"`
}

func (i *imported) refuse(id queue.ID, err error) {
	i.Refused = append(i.Refused, refusal{id, explain(err), err})
}

// report tells of it. It fails with errBad where a job was refused.
func (i *imported) report(s *session) error {
	if s.json {
		if i.Duplicates == nil {
			i.Duplicates = []duplicate{}
		}
		if i.Refused == nil {
			i.Refused = []refusal{}
		}
		if err := s.emit(i); err != nil {
			return err
		}
	} else if err := i.say(s); err != nil {
		return err
	}
	if len(i.Refused) > 0 {
		return errBad
	}
	return nil
}

func (i *imported) say(s *session) error {
	text := fmt.Sprintf("%s accepted", many(i.Accepted, "job", "jobs"))
	if i.DryRun {
		text = fmt.Sprintf("%s would be handed in; nothing was changed", many(i.Fit, "job", "jobs"))
	}
	if err := s.say("%s (%s read)", text, many(i.Read, "line", "lines")); err != nil {
		return err
	}
	const shown = 10
	for n, d := range i.Duplicates {
		if n == shown {
			s.note("… and %s more duplicates; --json names each", count(len(i.Duplicates)-shown))
			break
		}
		s.note("duplicate: %s is here already, %s%s", d.ID, d.State, note(d.State == queue.Dead, ": redrive it instead"))
	}
	if i.InDoubt > 0 {
		s.note("%s left out: in doubt. Resolve it where its ledger is", many(i.InDoubt, "job", "jobs"))
	}
	for n, r := range i.Refused {
		if n == shown {
			s.note("… and %s more refused; --json names each", count(len(i.Refused)-shown))
			break
		}
		_ = s.write(s.Stderr, []byte(r.Error.text(s)))
	}
	return nil
}
