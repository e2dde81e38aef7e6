package campaign

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Opener opens what url names, for one process. Every process of a campaign opens the same URL.
type Opener func(ctx context.Context, url string) (*Store, error)

// Store is an engine, its ledger and the application's data, as one process sees them.
type Store struct {
	Engine queue.Engine
	Ledger ledger.Store // of the effects outside
	Data   Data
	Seals  bool // the ledger is a store of its own: workers seal it before a job is dead
}

// Close closes the engine, and the data where they are an io.Closer.
func (s *Store) Close() error {
	err := s.Engine.Close()
	if c, ok := s.Data.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}

// Data is the application's database: a table of rows that allows doubles, since a unique key in it would
// hide what a campaign looks for.
type Data interface {
	// Transact runs fn in one transaction; where fn fails nothing is changed, and its error is given.
	Transact(ctx context.Context, fn func(context.Context, Tx) error) error
	// Rows gives every row.
	Rows(ctx context.Context, each func(Row)) error
}

// Tx is a transaction of the application.
type Tx struct {
	Insert func(context.Context, Row) error
	Ledger ledger.Tx // the ledger in this transaction
	Jobs   queue.Tx  // the engine in this transaction; nil where the jobs are kept elsewhere
}

// Row is a change that a job made: one is right, two are a double.
type Row struct {
	Job   queue.ID
	Token int64 // of the attempt that made it
}

func open(ctx context.Context, openers map[string]Opener, url string) (*Store, error) {
	scheme, _, _ := strings.Cut(url, ":")
	opener, ok := openers[scheme]
	if !ok {
		return nil, &queue.Error{Op: "campaign", Subject: scheme + ":", Reason: queue.ErrUnsupported, Remedy: "give an opener of that name"}
	}
	return opener(ctx, url)
}
