package sqlite

import (
	"database/sql/driver"

	"github.com/twicehq/twice/queue"
)

// tally is a change of a queue's counts.
type tally struct{ accepted, queued, running, done, dead, cancelled, pruned int64 }

// foldEvery commits the rows of changes are added up, so that reading the counts stays cheap.
const foldEvery = 200

func (t *txn) count(queueID int64) *tally {
	c := t.tally[queueID]
	if c == nil {
		c = &tally{}
		if t.tally == nil {
			t.tally = map[int64]*tally{}
		}
		t.tally[queueID] = c
	}
	return c
}

// moved counts one job going from one state to another; 0 is neither.
func (t *txn) moved(l *laneRow, from, to queue.State, n int64) {
	c := t.count(l.q.id)
	c.add(from, -n)
	c.add(to, n)
}

func (c *tally) add(s queue.State, n int64) {
	switch s {
	case queue.Queued:
		c.queued += n
	case queue.Running:
		c.running += n
	case queue.Done:
		c.done += n
	case queue.Dead:
		c.dead += n
	case queue.Cancelled:
		c.cancelled += n
	}
}

const tallyColumns = "queue, accepted, queued, running, done, dead, cancelled, pruned"

func (t *txn) writeTally() (wrote bool, err error) {
	for id, c := range t.tally {
		wrote = true
		if _, err := t.s.exec("INSERT INTO twice_tally("+tallyColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			id, c.accepted, c.queued, c.running, c.done, c.dead, c.cancelled, c.pruned); err != nil {
			return false, err
		}
	}
	t.tally = nil
	return wrote, nil
}

const sumTally = `SELECT queue, sum(accepted), sum(queued), sum(running), sum(done), sum(dead), sum(cancelled), sum(pruned)
	FROM twice_tally GROUP BY queue`

func readTally(s session) (map[int64]tally, error) {
	sums := map[int64]tally{}
	err := s.query(sumTally, func(r []driver.Value) error {
		sums[number(r[0])] = tally{number(r[1]), number(r[2]), number(r[3]), number(r[4]), number(r[5]), number(r[6]), number(r[7])}
		return nil
	})
	return sums, err
}

// fold adds the changes up into one row a queue.
func fold(s session) error {
	sums, err := readTally(s)
	if err != nil {
		return err
	}
	if _, err := s.exec("DELETE FROM twice_tally"); err != nil {
		return err
	}
	t := txn{s: s, tally: map[int64]*tally{}}
	for id, c := range sums {
		t.tally[id] = &c
	}
	_, err = t.writeTally()
	return err
}
