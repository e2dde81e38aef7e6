package proof

import (
	"fmt"
	"strings"
)

// step is a line of what happened.
type step struct {
	who  string // empty: nobody in particular
	text string
	cut  bool // the schedule's own doing
	note string
}

// fail ends the trial: the handler, or the world, does not hold.
func (t *trial) fail(help, format string, args ...any) {
	panic(&problem{t.plain(fmt.Sprintf(format, args...)), help})
}

// must ends the trial where the kit itself cannot go on.
func (t *trial) must(what string, err error) {
	if err != nil {
		t.fail("This is no fault of the handler: the world, its engine or its ledger failed where the kit needs it.", "%s: %v", what, err)
	}
}

func (t *trial) say(who, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step{who: who, text: t.plain(fmt.Sprintf(format, args...))})
}

// plain writes "job" for the job's id, which tells a reader nothing.
func (t *trial) plain(text string) string { return strings.ReplaceAll(text, t.job.ID.String(), "job") }

// cut says what the schedule does.
func (t *trial) cut(who, format string, args ...any) {
	t.say(who, format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps[len(t.steps)-1].cut = true
}
