package main

import (
	"context"
	"strings"
	"time"

	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/queue"
)

type migrateCmd struct {
	Print bool `help:"Print the schema's steps as SQL, for review; open and change nothing."`
}

func (migrateCmd) Help() string {
	return `Use it to make a store before anything runs, or to review and apply the schema of a new version first. Programs also do this when they open the store; it is safe to repeat, and from several processes at once.

    twice migrate --engine sqlite:orders.db`
}

type migrationView struct {
	N       int       `json:"n"`
	Name    string    `json:"name"`
	Applied time.Time `json:"applied,omitzero"`
	SQL     string    `json:"sql,omitempty"` // with --print
}

func (c migrateCmd) Run(ctx context.Context, s *session) error {
	if c.Print {
		return s.printSchema()
	}
	engine, err := s.engineOrNew(ctx)
	if err != nil {
		return err
	}
	migrator, err := queue.Need[queue.Migrator](engine, "migrate")
	if err != nil {
		return err
	}
	if err := migrator.Migrate(ctx); err != nil {
		return err
	}
	steps, err := migrator.Migrations(ctx)
	if err != nil {
		return err
	}
	if s.json {
		views := []migrationView{}
		for _, m := range steps {
			views = append(views, migrationView{N: m.N, Name: m.Name, Applied: m.Applied})
		}
		return s.emit(views)
	}
	s.promise(engine)
	t := newTable(">STEP", "NAME", "APPLIED")
	for _, m := range steps {
		t.row(m.N, plain(m.Name), s.at(m.Applied))
	}
	if err := t.print(s); err != nil {
		return err
	}
	return s.say("the schema of %s is up to date", plain(open.Redacted(s.url)))
}

func (s *session) printSchema() error {
	steps, err := open.Migrations(s.url)
	if err != nil {
		return err
	}
	if s.json {
		views := []migrationView{}
		for _, m := range steps {
			views = append(views, migrationView{N: m.N, Name: m.Name, SQL: m.SQL})
		}
		return s.emit(views)
	}
	for _, m := range steps {
		if err := s.say("-- step %d: %s\n%s\n", m.N, m.Name, strings.TrimSpace(m.SQL)); err != nil {
			return err
		}
	}
	return nil
}
