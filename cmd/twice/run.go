package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/queue"
)

// Main is the program with everything it touches, so that tests can start it. Fields that are nil mean
// the operating system's.
type Main struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Args           []string // without the program's name
	Env            func(string) string
	Now            func() time.Time
	Zone           *time.Location // in which times are shown
	User           func() string  // who makes changes, unless --who says otherwise
	// Open opens an engine. existing: where its store is missing, fail and make none.
	Open func(ctx context.Context, url string, existing bool) (queue.Engine, error)
	// Terminal reports whether a stream is one that a person looks at.
	Terminal func(stream any) bool
	// Patience is how long something may take before a progress bar shows: 2 s.
	Patience time.Duration
}

// Run does what Args say and gives the exit status: see the exit constants. With ctx the command ends as
// soon as that is safe.
func (m Main) Run(ctx context.Context) int {
	m = m.complete()
	var cli commands
	s := &session{Main: m}
	// What cannot be parsed is answered in the form that was asked for all the same.
	s.json = slices.Contains(m.Args, "--json")
	parser, err := kong.New(&cli, append(style(m), kong.Bind(s), kong.BindTo(ctx, (*context.Context)(nil)))...)
	if err != nil {
		return s.fail(err)
	}
	chosen, status, err := parse(parser, m.Args)
	switch {
	case err != nil:
		return s.fail(err)
	case chosen == nil:
		return status
	}
	s.json = cli.JSON
	s.url = cmp.Or(cli.Engine, m.Env("TWICE_ENGINE"), defaultEngine)
	err = chosen.Run()
	if closing := s.close(); err == nil {
		err = closing
	}
	if err != nil {
		return s.fail(err)
	}
	return exitGood
}

func (m Main) complete() Main {
	if m.Stdin == nil {
		m.Stdin = os.Stdin
	}
	if m.Stdout == nil {
		m.Stdout = os.Stdout
	}
	if m.Stderr == nil {
		m.Stderr = os.Stderr
	}
	if m.Env == nil {
		m.Env = os.Getenv
	}
	if m.Now == nil {
		m.Now = time.Now
	}
	if m.Zone == nil {
		m.Zone = time.Local
	}
	if m.User == nil {
		m.User = loginName
	}
	if m.Terminal == nil {
		m.Terminal = isTerminal
	}
	if m.Patience == 0 {
		m.Patience = 2 * time.Second
	}
	if m.Open == nil {
		m.Open = func(ctx context.Context, url string, existing bool) (queue.Engine, error) {
			if existing {
				return open.Existing(ctx, url)
			}
			return open.Engine(ctx, url)
		}
	}
	return m
}

// ended is how the parser says that it has done what was asked (it printed help).
type ended struct{ status int }

// parse finds the command that args name; none where the parser has answered itself.
func parse(parser *kong.Kong, args []string) (chosen *kong.Context, status int, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case ended:
			chosen, status, err = nil, r.status, nil
		default:
			panic(r)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if chosen, err = parser.Parse(args); err != nil {
		return nil, 0, misused(parser, err)
	}
	return chosen, 0, nil
}
