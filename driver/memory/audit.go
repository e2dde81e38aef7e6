package memory

import (
	"context"
	"fmt"
	"strconv"

	"github.com/twicehq/twice/queue"
)

// Audit implements [queue.Auditor].
func (e *Engine) Audit(ctx context.Context) ([]queue.Books, error) {
	_, leave, err := e.enter(ctx, "audit")
	if err != nil {
		return nil, err
	}
	defer leave()
	found := map[string]*queue.Tally{}
	for _, name := range e.names() {
		found[name] = &queue.Tally{}
	}
	for _, r := range e.jobs {
		t := found[r.job.Queue]
		switch r.state {
		case queue.Queued:
			t.Queued++
		case queue.Running:
			t.Running++
		case queue.Done:
			t.Done++
		case queue.Dead:
			t.Dead++
		case queue.Cancelled:
			t.Cancelled++
		}
	}
	var books []queue.Books
	for _, name := range e.names() {
		l := e.lines[name]
		books = append(books, queue.Books{Queue: name, Accepted: l.accepted, Found: *found[name], Pruned: l.pruned})
	}
	return books, nil
}

// Trail implements [queue.Auditor]. A limit of 0 means 100.
func (e *Engine) Trail(ctx context.Context, from string, limit int) ([]queue.Change, string, error) {
	if limit < 0 || limit > queue.MaxPage {
		return nil, "", &queue.Error{Op: "trail", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("its limit is %d", limit), Remedy: fmt.Sprintf("use 1 to %d", queue.MaxPage)}
	}
	if limit == 0 {
		limit = 100
	}
	below, err := cursor("trail", from)
	if err != nil {
		return nil, "", err
	}
	_, leave, err := e.enter(ctx, "trail")
	if err != nil {
		return nil, "", err
	}
	defer leave()
	var page []queue.Change
	i := int(min(below-1, int64(len(e.trail))))
	for ; i > 0 && len(page) < limit; i-- {
		page = append(page, e.trail[i-1])
	}
	if i == 0 {
		return page, "", nil
	}
	return page, strconv.Itoa(i + 1), nil
}
