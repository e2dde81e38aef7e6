package redis

import (
	"context"
	"encoding/json"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// Cancel implements [queue.Operator].
func (e *Engine) Cancel(ctx context.Context, by queue.Actor, cuts ...queue.Cut) ([]error, error) {
	return e.operate(ctx, by, "cancel", cuts)
}

// Redrive implements [queue.Operator].
func (e *Engine) Redrive(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, by, "redrive", cutsOf(ids))
}

// Resolved implements [queue.Operator].
func (e *Engine) Resolved(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, by, "resolve", cutsOf(ids))
}

// Discard implements [queue.Operator].
func (e *Engine) Discard(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, by, "discard", cutsOf(ids))
}

func cutsOf(ids []queue.ID) []queue.Cut {
	cuts := make([]queue.Cut, len(ids))
	for i, id := range ids {
		cuts[i].ID = id
	}
	return cuts
}

// actor is who made a change, as a row of the trail keeps it. Texts may be any bytes.
type actor struct {
	Name []byte `json:"n"`
	Why  []byte `json:"y"`
	What string `json:"w"`
}

func actorOf(by queue.Actor, what string) string {
	b, _ := json.Marshal(actor{[]byte(by.Name), []byte(by.Why), what}) // bytes and a constant
	return string(b)
}

// operate makes one change a job, where the job is.
func (e *Engine) operate(ctx context.Context, by queue.Actor, what string, cuts []queue.Cut) ([]error, error) {
	if err := by.Check(what); err != nil {
		return nil, err
	}
	if err := fits(what, len(cuts)); err != nil {
		return nil, err
	}
	if err := e.usable(ctx, what); err != nil {
		return nil, err
	}
	ids := make([]queue.ID, len(cuts))
	for i, c := range cuts {
		ids[i] = c.ID
	}
	all, err := e.find(ctx, ids)
	if err != nil {
		return nil, translated(what, err)
	}
	errs := make([]error, len(cuts))
	of := map[string][]int{}
	var names []string
	for i, f := range all {
		if f == nil {
			errs[i] = failed(what, ids[i], queue.ErrNotFound, "", "")
			continue
		}
		if of[f.line.name] == nil {
			names = append(names, f.line.name)
		}
		of[f.line.name] = append(of[f.line.name], i)
	}
	answers, err := e.each(ctx, operateScript, names, false, func(n int, _ *line) []string {
		at := of[names[n]]
		args := []string{what, actorOf(by, what), span(e.cfg.UniqueFor), digits(len(at))}
		for _, i := range at {
			token := int64(-1)
			if cuts[i].Sealed {
				token = cuts[i].Token
			}
			job, _ := all[i].rec.job(ids[i], all[i].line)
			args = append(args, rueidis.BinaryString(ids[i][:]), digits(token), listed(cuts[i].Effects), cuts[i].Note, span(job.KeepFor))
		}
		return args
	})
	if err != nil {
		return nil, translated(what, err)
	}
	for n, a := range answers {
		r := reader{b: a.bytes}
		for _, i := range of[names[n]] {
			errs[i] = operated(what, ids[i], &r)
		}
	}
	return errs, nil
}

// operated reads what the script says of one change.
func operated(what string, id queue.ID, r *reader) error {
	switch r.uint(1) {
	case 'E':
		return nil
	case 'T':
		return failed(what, id, queue.ErrState, "it is "+queue.State(r.uint(1)).String(), "")
	case 'K':
		return failed(what, id, queue.ErrLeaseLost, "it was claimed since the ledger was sealed", "seal again")
	case 'I':
		return failed(what, id, queue.ErrInDoubt, "", "resolve the doubt: did the effect happen?")
	case 'M':
		return failed(what, id, queue.ErrCapped, "", "discard it, or enqueue it anew under another key")
	}
	return failed(what, id, queue.ErrNotFound, "", "")
}
