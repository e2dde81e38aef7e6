// Package rawsql is the honest limit: what SQLite (modernc.org/sqlite, WAL, synchronous=FULL) does in
// plain SQL with no more than the promises' bare costs. There is no worker, no policy and no answer to
// anybody: a loop on one connection inserts, claims and finishes rows in commits of a chosen size.
package rawsql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/twicehq/twice/bench/peer"
)

// Index is a way to keep ids unique.
type Index string

const (
	Plain  Index = "plain"  // the reference: a unique index
	Merged Index = "merged" // a small index merged into a large one in bulk
)

// mergeAt is the number of new ids at which Merged merges them.
const mergeAt = 50_000

// Store is one file and one connection; it is not for concurrent use.
type Store struct {
	db     *sql.DB
	conn   *sql.Conn
	index  Index
	recent int // ids in ids_new

	begin, commit, insert, claim, finish, credit *sql.Stmt
	findOld, insertNew, mergeNew, clearNew       *sql.Stmt
}

// Open opens or makes the store in dir.
func Open(ctx context.Context, dir string, index Index, mode peer.Mode) (*Store, error) {
	sync := "FULL"
	if mode == peer.Filling {
		sync = "OFF"
	}
	db, err := sql.Open("sqlite", fmt.Sprintf("file:%s?_pragma=journal_mode(WAL)&_pragma=synchronous(%s)"+
		"&_pragma=cache_size(-%d)&_pragma=wal_autocheckpoint(%d)", filepath.Join(dir, "raw.db"), sync, cacheKiB, checkpointPages))
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, index: index}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

const (
	cacheKiB        = 64 << 10
	checkpointPages = 4000
)

func (s *Store) prepare(ctx context.Context) (err error) {
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return err
	}
	ids := plainIDs
	if s.index == Merged {
		ids = mergedIDs
	}
	if _, err := s.conn.ExecContext(ctx, table+ids); err != nil {
		return err
	}
	if err := peer.CreateAccounts(ctx, s.db); err != nil {
		return err
	}
	statements := map[string]**sql.Stmt{
		`BEGIN IMMEDIATE`: &s.begin, `COMMIT`: &s.commit,
		insertJob: &s.insert, claimJobs: &s.claim, finishJob: &s.finish, peer.Credit: &s.credit,
	}
	if s.index == Merged {
		statements[findOld], statements[insertNew] = &s.findOld, &s.insertNew
		statements[mergeNew], statements[clearNew] = &s.mergeNew, &s.clearNew
	}
	for q, to := range statements {
		if *to, err = s.conn.PrepareContext(ctx, q); err != nil {
			return err
		}
	}
	if s.index == Merged {
		return s.conn.QueryRowContext(ctx, `SELECT count(*) FROM ids_new`).Scan(&s.recent)
	}
	return nil
}

// Close checkpoints and closes the file.
func (s *Store) Close() error {
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	return errors.Join(err, s.db.Close())
}

// EnqueueBulk inserts jobs for the workers in one commit.
func (s *Store) EnqueueBulk(ctx context.Context, ids []int64) error {
	return s.inOne(ctx, func() error { return s.add(ctx, ids, hot, 1) })
}

// EnqueueCold inserts jobs at rest in one commit.
func (s *Store) EnqueueCold(ctx context.Context, ids []int64) error {
	return s.inOne(ctx, func() error { return s.add(ctx, ids, cold, never) })
}

func (s *Store) inOne(ctx context.Context, do func() error) error {
	if _, err := s.begin.ExecContext(ctx); err != nil {
		return err
	}
	if err := do(); err != nil {
		_, undo := s.conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
		return errors.Join(err, undo)
	}
	_, err := s.commit.ExecContext(ctx)
	return err
}
