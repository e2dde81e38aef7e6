package sqlite

import (
	"cmp"
	"database/sql/driver"
	"slices"

	"github.com/twicehq/twice/queue"
)

// view is the small tables, as one transaction sees them.
type view struct {
	queues map[string]*queueRow
	byID   map[int64]*queueRow
	lanes  map[int64]*laneRow
	lane   map[laneKey]*laneRow
	sorted []*laneRow // by priority, highest first
}

type queueRow struct {
	id     int64
	name   string
	paused bool
	floor  int64
}

type laneKey struct {
	queue, kind string
	priority    int
}

type laneRow struct {
	laneKey
	id int64
	q  *queueRow
}

func newView() view {
	return view{queues: map[string]*queueRow{}, byID: map[int64]*queueRow{}, lanes: map[int64]*laneRow{}, lane: map[laneKey]*laneRow{}}
}

func (v *view) load(s session) error {
	err := s.query("SELECT queue, name, paused, token_floor FROM twice_queue", func(r []driver.Value) error {
		v.addQueue(&queueRow{id: number(r[0]), name: text(r[1]), paused: number(r[2]) != 0, floor: number(r[3])})
		return nil
	})
	if err != nil {
		return err
	}
	return s.query("SELECT lane, queue, kind, priority FROM twice_lane", func(r []driver.Value) error {
		q := v.byID[number(r[1])]
		if q == nil {
			return damaged("lane", number(r[0]), queue.ErrNotFound)
		}
		v.addLane(&laneRow{id: number(r[0]), q: q, laneKey: laneKey{q.name, text(r[2]), int(number(r[3]))}})
		return nil
	})
}

func (v *view) addQueue(q *queueRow) { v.queues[q.name], v.byID[q.id] = q, q }

func (v *view) addLane(l *laneRow) {
	v.lanes[l.id], v.lane[l.laneKey] = l, l
	at, _ := slices.BinarySearchFunc(v.sorted, l, func(a, b *laneRow) int { return cmp.Compare(b.priority, a.priority) })
	v.sorted = slices.Insert(v.sorted, at, l)
}

// queueOf gives the row of a queue, making it.
func (t *txn) queueOf(name string) (*queueRow, error) {
	if q := t.view.queues[name]; q != nil {
		return q, nil
	}
	if _, err := t.s.exec("INSERT INTO twice_queue(name) VALUES (?)", name); err != nil {
		return nil, err
	}
	v, err := one(t.s, "SELECT queue FROM twice_queue WHERE name = ?", name)
	if err != nil {
		return nil, err
	}
	q := &queueRow{id: number(v), name: name}
	t.view.addQueue(q)
	return q, nil
}

// laneOf gives the row of a lane, making it.
func (t *txn) laneOf(k laneKey) (*laneRow, error) {
	if l := t.view.lane[k]; l != nil {
		return l, nil
	}
	q, err := t.queueOf(k.queue)
	if err != nil {
		return nil, err
	}
	if _, err := t.s.exec("INSERT INTO twice_lane(queue, kind, priority) VALUES (?, ?, ?)", q.id, k.kind, int64(k.priority)); err != nil {
		return nil, err
	}
	v, err := one(t.s, "SELECT lane FROM twice_lane WHERE queue = ? AND kind = ? AND priority = ?", q.id, k.kind, int64(k.priority))
	if err != nil {
		return nil, err
	}
	l := &laneRow{id: number(v), q: q, laneKey: k}
	t.view.addLane(l)
	return l, nil
}
