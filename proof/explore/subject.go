package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
)

// subject is a sort of store that is explored: how one is made, what can be done to it, and what the protocol says.
// S is what such a store can be told apart by.
type subject[S comparable] interface {
	create() (driven[S], error)
	start() S
	acts(S) []Act
	rule(S, Act) (history.Answer, S)
	breaks(before, after S, a Act) string // an invariant, whatever the rules of the actions say
	plain(S) S                            // what of it can be seen without changing it
	tell(S) string
}

// driven is one such store, with a clock of its own.
type driven[S comparable] interface {
	do(Act) history.Answer
	// look gives what can be seen without changing it, given what the protocol says it is.
	look(want S) (S, error)
	// reveal gives the whole by trying things out: the store is of no use afterwards.
	reveal(want S) (S, error)
	end()
}

func differs[S comparable](sub subject[S], answer, got history.Answer, want, seen S, err error) string {
	switch {
	case answer != got:
		return fmt.Sprintf("it is answered %q; the protocol says %q", got, answer)
	case err != nil:
		return err.Error()
	case want != seen:
		return fmt.Sprintf("%s; the protocol says: %s", sub.tell(seen), sub.tell(want))
	}
	return ""
}
