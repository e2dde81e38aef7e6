package proof

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/internal/diff"
	"github.com/twicehq/twice/queue"
)

// result is what a schedule led to.
type result struct {
	schedule schedule
	fired    bool
	points   [][]point // of each attempt
	steps    []step
	calls    []*made
	world    any
	seen     bool                    // the world was observed
	entries  map[string]ledger.State // of the ledger, by step
	final    queue.Record
	byPerson int
	problem  *problem
}

// problem is why a schedule breaks the handler, but for a world that is another one, and what helps; no help: the sort's.
type problem struct{ text, help string }

func (p *problem) Error() string { return p.text }

// broken says in which way the schedule broke the handler; empty: it did not.
func (r *result) broken(reference *result) string {
	if r.problem != nil {
		return r.problem.text
	}
	if lines := diff.Of(reference.world, r.world); len(lines) > 0 {
		return "the world is not the one of a single run"
	}
	if r.final.State != reference.final.State {
		return fmt.Sprintf("the job ended %s, and %s in the clean run", r.final.State, reference.final.State)
	}
	if r.entries == nil || r.final.State != queue.Done {
		return ""
	}
	for _, step := range slices.Sorted(maps.Keys(reference.entries)) {
		if reference.entries[step] == ledger.Confirmed && r.entries[step] != ledger.Confirmed {
			return fmt.Sprintf("step %q was skipped: the job is done, and the ledger does not have it as made", step)
		}
	}
	return ""
}

// count is how often a call was made, and by whom.
type count struct {
	name string
	made []*made
	once int // in the reference
}

// counts compares the calls that change something with the reference's: those made more often, and those made less.
func (r *result) counts(reference *result) (more, fewer []count) {
	of := func(r *result) (map[string][]*made, []string) {
		by, names := map[string][]*made{}, []string(nil)
		for _, c := range r.calls {
			if c.effect && !c.undone {
				if by[c.name] == nil {
					names = append(names, c.name)
				}
				by[c.name] = append(by[c.name], c)
			}
		}
		return by, names
	}
	now, names := of(r)
	then, before := of(reference)
	for _, name := range names {
		if len(now[name]) > len(then[name]) {
			more = append(more, count{name, now[name], len(then[name])})
		}
	}
	for _, name := range before {
		if len(now[name]) < len(then[name]) {
			fewer = append(fewer, count{name, now[name], len(then[name])})
		}
	}
	return more, fewer
}
