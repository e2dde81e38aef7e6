package sqlite

import (
	"cmp"
	"database/sql/driver"
	"slices"
	"strconv"
)

// Rows that were enqueued together are claimed and settled together, so their seqs mostly follow one
// another: a range is the quickest way to name them. Scattered ones are named by a list.
const rangeFrom = 8

// ranges calls each for every stretch of consecutive seqs that is long enough, and gives the rest.
func ranges(seqs []candidate, each func(low, high int64, n int) error) (rest []candidate, err error) {
	seqs = slices.Clone(seqs)
	slices.SortFunc(seqs, func(a, b candidate) int { return cmp.Compare(a.seq, b.seq) })
	for i := 0; i < len(seqs); {
		k := i + 1
		for k < len(seqs) && seqs[k].seq == seqs[k-1].seq+1 {
			k++
		}
		if k-i < rangeFrom {
			rest = append(rest, seqs[i:k]...)
		} else if err := each(seqs[i].seq, seqs[k-1].seq, k-i); err != nil {
			return nil, err
		}
		i = k
	}
	return rest, nil
}

func list(seqs []candidate) string {
	b := []byte{'['}
	for i, c := range seqs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, c.seq, 10)
	}
	return string(append(b, ']'))
}

const (
	inRange = " WHERE seq BETWEEN ? AND ?"
	inList  = " WHERE seq IN (SELECT value FROM json_each(?))"
	atSeq   = " WHERE seq = ?"
)

// bySeq runs a query, which ends where WHERE would begin, over those rows.
func (t *txn) bySeq(query string, seqs []candidate, each func([]driver.Value) error) error {
	rest, err := ranges(seqs, func(low, high int64, _ int) error {
		return t.s.query(query+inRange, each, low, high)
	})
	switch {
	case err != nil || len(rest) == 0:
		return err
	case len(rest) == 1:
		return t.s.query(query+atSeq, each, rest[0].seq)
	}
	return t.s.query(query+inList, each, list(rest))
}

// changeBySeq runs a change over those rows.
func (t *txn) changeBySeq(change string, seqs []candidate, args ...driver.Value) error {
	rest, err := ranges(seqs, func(low, high int64, _ int) error {
		_, err := t.s.exec(change+inRange, append(args, low, high)...)
		return err
	})
	switch {
	case err != nil || len(rest) == 0:
		return err
	case len(rest) == 1:
		_, err = t.s.exec(change+atSeq, append(args, rest[0].seq)...)
	default:
		_, err = t.s.exec(change+inList, append(args, list(rest))...)
	}
	return err
}
