package redis

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// place says where a job stands in the order of lists: when it was enqueued, then by queue.
type place struct {
	born, nth int64
	queue     string
}

func (p place) before(q place) int {
	return cmp.Or(cmp.Compare(p.born, q.born), cmp.Compare(p.nth, q.nth), cmp.Compare(p.queue, q.queue))
}

func (p place) String() string {
	return fmt.Sprintf("%x.%x.%s", p.born, p.nth, hex.EncodeToString([]byte(p.queue)))
}

func readPlace(text string) (p place, err error) {
	var name string
	if _, err = fmt.Sscanf(text, "%x.%x.%s", &p.born, &p.nth, &name); err != nil {
		return p, err
	}
	b, err := hex.DecodeString(name)
	p.queue = string(b)
	return p, err
}

// listed is a job of a list, before all of it is read.
type entry struct {
	place
	id   queue.ID
	line *line
	raw  []byte
}

// List implements [queue.Inspector]. A record holds no place in an order of its own, so a list reads every record of
// the queues in question, some at a time, which holds nobody up and takes time in proportion to them.
func (e *Engine) List(ctx context.Context, q queue.Query) (queue.Page, error) {
	if q.Limit < 0 || q.Limit > queue.MaxPage {
		return queue.Page{}, &queue.Error{Op: "list", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("its limit is %d", q.Limit), Remedy: fmt.Sprintf("use 1 to %d", queue.MaxPage)}
	}
	q.Limit = cmp.Or(q.Limit, 100)
	var below *place
	if q.Cursor != "" {
		p, err := readPlace(q.Cursor)
		if err != nil {
			return queue.Page{}, &queue.Error{Op: "list", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("no such cursor: %.40q", q.Cursor), Remedy: "use the one that the page before gave"}
		}
		below = &p
	}
	if err := e.usable(ctx, "list"); err != nil {
		return queue.Page{}, err
	}
	names := []string{q.Queue}
	if q.Queue == "" {
		all, err := e.all(ctx)
		if err != nil {
			return queue.Page{}, translated("list", err)
		}
		names = all
	}
	var best []entry
	for _, name := range names {
		err := e.scan(ctx, name, func(l *line, id queue.ID, raw []byte) error {
			rec, err := readRecord(raw)
			if err != nil {
				return nil // the audit tells of it
			}
			it := entry{place{rec.born, rec.nth, name}, id, l, raw}
			if (q.State != 0 && rec.state != q.State) || (q.Kind != "" && (rec.lane > len(l.names) || l.names[rec.lane-1].kind != q.Kind)) ||
				(below != nil && it.place.before(*below) >= 0) {
				return nil
			}
			if q.Reason != "" && !slices.Contains([]queue.State{queue.Dead, queue.Cancelled}, rec.state) {
				return nil
			}
			if q.Reason != "" {
				told, err := e.client.Do(ctx, e.client.B().Hget().Key(e.key(name, "h")).Field(rueidis.BinaryString(id[:])).Build()).AsBytes()
				if err != nil {
					return ignoreNil(err)
				}
				if s, err := readStory(told); err != nil || s.reason != q.Reason {
					return nil
				}
			}
			best = append(best, it)
			if len(best) > 4*(q.Limit+1) {
				best = newest(best, q.Limit+1)
			}
			return nil
		})
		if err != nil {
			return queue.Page{}, translated("list", err)
		}
	}
	best = newest(best, q.Limit+1)
	var page queue.Page
	if len(best) > q.Limit {
		best = best[:q.Limit]
		page.Next = best[q.Limit-1].place.String()
	}
	return page, translated("list", e.fill(ctx, best, &page))
}

// newest keeps the n newest, each once: a scan may meet one twice.
func newest(all []entry, n int) []entry {
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(b.place.before(a.place), bytes.Compare(a.id[:], b.id[:])) })
	all = slices.CompactFunc(all, func(a, b entry) bool { return a.id == b.id && a.place == b.place })
	return all[:min(n, len(all))]
}

// fill reads the histories of a page's jobs.
func (e *Engine) fill(ctx context.Context, all []entry, page *queue.Page) error {
	names, of := byQueue(all, func(it entry) string { return it.line.name })
	tolds := make([][]byte, len(all))
	for _, name := range names {
		fields := make([]string, len(of[name]))
		for i, n := range of[name] {
			fields[i] = rueidis.BinaryString(all[n].id[:])
		}
		got, err := e.client.Do(ctx, e.client.B().Hmget().Key(e.key(name, "h")).Field(fields...).Build()).ToArray()
		if err != nil {
			return err
		}
		for i, n := range of[name] {
			tolds[n], _ = got[i].AsBytes()
		}
	}
	for i, it := range all {
		rec, err := readRecord(it.raw)
		if err != nil {
			return damaged("list", it.id, err)
		}
		r, err := (&found{it.line, rec, tolds[i]}).record(it.id)
		if err != nil {
			return err
		}
		page.Records = append(page.Records, r)
	}
	return nil
}

// scan gives every record of a queue, some of them perhaps twice; what comes or goes meanwhile it may miss.
func (e *Engine) scan(ctx context.Context, name string, each func(l *line, id queue.ID, raw []byte) error) error {
	l, err := e.reload(ctx, name, false)
	if err != nil || l == nil {
		return err
	}
	for cursor := uint64(0); ; {
		some, err := e.client.Do(ctx, e.client.B().Hscan().Key(e.key(name, "j")).Cursor(cursor).Count(1000).Build()).AsScanEntry()
		if err != nil {
			return err
		}
		for i := 0; i+1 < len(some.Elements); i += 2 {
			if len(some.Elements[i]) != 16 {
				continue
			}
			if err := each(l, queue.ID([]byte(some.Elements[i])), []byte(some.Elements[i+1])); err != nil {
				return err
			}
		}
		if cursor = some.Cursor; cursor == 0 {
			return nil
		}
	}
}

func ignoreNil(err error) error {
	if rueidis.IsRedisNil(err) {
		return nil
	}
	return err
}
