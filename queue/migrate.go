package queue

import (
	"context"
	"time"
)

// Migrator brings the store's schema up to date.
type Migrator interface {
	// Migrations gives the steps, oldest first; Applied is zero for those still to do.
	Migrations(ctx context.Context) ([]Migration, error)
	// Migrate applies those still to do, each in a transaction of its own.
	Migrate(ctx context.Context) error
}

// Migration is one numbered step of a schema.
type Migration struct {
	N       int
	Name    string
	SQL     string
	Applied time.Time
}
