package rawsql

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
)

// Lease is what a settlement is compared with.
type Lease struct{ Seq, Token int64 }

// Claim leases up to n jobs in one commit.
func (s *Store) Claim(ctx context.Context, n int) (leases []Lease, err error) {
	err = s.inOne(ctx, func() error { leases, err = s.take(ctx, n); return err })
	return leases, err
}

// Finish ends jobs in one commit.
func (s *Store) Finish(ctx context.Context, leases []Lease) error {
	return s.inOne(ctx, func() error { return s.end(ctx, leases) })
}

// Cycle does in one commit what a full pipeline does between two fsyncs: it inserts new jobs, ends
// those it was given and claims up to n others.
func (s *Store) Cycle(ctx context.Context, ids []int64, ended []Lease, n int) (leases []Lease, err error) {
	err = s.inOne(ctx, func() error {
		if err := s.add(ctx, ids, hot, 1); err != nil {
			return err
		}
		if err := s.end(ctx, ended); err != nil {
			return err
		}
		leases, err = s.take(ctx, n)
		return err
	})
	return leases, err
}

// Effect credits the account of one job and ends the job, in one commit.
func (s *Store) Effect(ctx context.Context, l Lease) error {
	return s.inOne(ctx, func() error {
		if _, err := s.credit.ExecContext(ctx, peer.Account(l.Seq)); err != nil {
			return err
		}
		return s.end(ctx, []Lease{l})
	})
}

func (s *Store) add(ctx context.Context, ids []int64, queue int, due int64) error {
	for _, n := range ids {
		id := sum(n)
		if s.index == Merged {
			err := s.findOld.QueryRowContext(ctx, id[:16]).Scan(new(int))
			if err == nil {
				return fmt.Errorf("rawsql: job %d is there already", n)
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		fingerprint := int64(binary.LittleEndian.Uint64(id[16:]))
		r, err := s.insert.ExecContext(ctx, id[:16], fingerprint, queue, due, loadtest.Payload(n))
		if err != nil {
			return err
		}
		if s.index == Merged {
			seq, err := r.LastInsertId()
			if err != nil {
				return err
			}
			if _, err := s.insertNew.ExecContext(ctx, id[:16], seq); err != nil {
				return err
			}
			s.recent++
		}
	}
	return s.merge(ctx)
}

// merge moves the new ids into the large table once there are enough of them.
func (s *Store) merge(ctx context.Context) error {
	if s.recent < mergeAt {
		return nil
	}
	for _, q := range []*sql.Stmt{s.mergeNew, s.clearNew} {
		if _, err := q.ExecContext(ctx); err != nil {
			return err
		}
	}
	s.recent = 0
	return nil
}

func (s *Store) take(ctx context.Context, n int) ([]Lease, error) {
	if n == 0 {
		return nil, nil
	}
	rows, err := s.claim.QueryContext(ctx, int64(lease), int64(1), n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	leases := make([]Lease, 0, n)
	var (
		l           Lease
		kind        int64
		counts      [4]int64
		id, payload sql.RawBytes
	)
	for rows.Next() {
		err := rows.Scan(&l.Seq, &l.Token, &id, &kind, &counts[0], &counts[1], &counts[2], &counts[3], &payload)
		if err != nil {
			return nil, err
		}
		leases = append(leases, l)
	}
	return leases, rows.Err()
}

func (s *Store) end(ctx context.Context, leases []Lease) error {
	for _, l := range leases {
		r, err := s.finish.ExecContext(ctx, l.Seq, l.Token)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 1 {
			return errors.Join(err, fmt.Errorf("rawsql: row %d: the lease is lost", l.Seq))
		}
	}
	return nil
}

// sum is 16 bytes of id, as random as a real one, and the fingerprint behind them.
func sum(n int64) [sha256.Size]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
}
