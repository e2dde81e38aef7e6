package main

import (
	"cmp"

	"github.com/twicehq/twice/queue"
)

// person is who makes a change, and why: kept with the change in the audit trail.
type person struct {
	Who string `help:"Who makes this change; your user name unless you say otherwise." placeholder:"NAME"`
	Why string `help:"Why; it is kept in the audit trail. Required." placeholder:"TEXT"`
}

// actor gives both, or the error that says what is missing.
func (p person) actor(s *session, op string) (queue.Actor, error) {
	by := queue.Actor{Name: cmp.Or(p.Who, s.User()), Why: p.Why}
	switch {
	case by.Why == "":
		return by, usage(op, "it does not say why, and every change by a person is kept with its reason", `add --why "…": a few words, or a ticket's number`)
	case by.Name == "":
		return by, usage(op, "it does not say who, and the system has no name for you", "add --who NAME")
	case len(by.Name) > queue.MaxName:
		return by, usagef(op, "use --who with a shorter name", "the name of who makes it has %d bytes, the limit is %d", len(by.Name), queue.MaxName)
	case len(by.Why) > queue.MaxError:
		return by, usagef(op, "say it in fewer words", "the reason has %d bytes, the limit is %d", len(by.Why), queue.MaxError)
	}
	return by, nil
}

// forChange is actor, but for a dry run, which changes nothing and needs no reason.
func (p person) forChange(s *session, op string, dryRun bool) (queue.Actor, error) {
	if dryRun {
		return queue.Actor{}, nil
	}
	return p.actor(s, op)
}
