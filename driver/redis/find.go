package redis

import (
	"context"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// found is a job's record, and in which queue it is.
type found struct {
	line *line
	rec  record
	told []byte
}

// find looks for jobs in every queue: an id does not say where it is. What is nowhere is nil.
func (e *Engine) find(ctx context.Context, ids []queue.ID) ([]*found, error) {
	out := make([]*found, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	names, err := e.all(ctx)
	if err != nil {
		return nil, err
	}
	fields := make([]string, len(ids))
	for i, id := range ids {
		fields[i] = rueidis.BinaryString(id[:])
	}
	var commands []rueidis.Completed
	for _, name := range names {
		for _, what := range []string{"j", "h"} {
			commands = append(commands, e.client.B().Hmget().Key(e.key(name, what)).Field(fields...).Build())
		}
	}
	results := e.client.DoMulti(ctx, commands...)
	for n, name := range names {
		recs, err := results[2*n].ToArray()
		if err != nil {
			return nil, err
		}
		tolds, err := results[2*n+1].ToArray()
		if err != nil {
			return nil, err
		}
		for i := range recs {
			raw, err := recs[i].AsBytes()
			if err != nil || out[i] != nil { // nothing there
				continue
			}
			l, err := e.line(ctx, name, false)
			if err != nil {
				return nil, err
			}
			rec, err := readRecord(raw)
			if err == nil && l != nil && rec.lane > len(l.names) {
				l, err = e.reload(ctx, name, false)
			}
			if err != nil {
				return nil, damaged("read", ids[i], err)
			}
			told, _ := tolds[i].AsBytes()
			out[i] = &found{l, rec, told}
		}
	}
	return out, nil
}
