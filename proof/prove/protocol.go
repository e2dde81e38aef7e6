package prove

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/twicehq/twice/proof/explore/lives"
	"github.com/twicehq/twice/proof/model"
)

var protocol = []Part{
	{ID: "F0", Title: "the protocol's model, and the code walked through like it", Shows: "as many states, and no invariant broken", once: true, bare: true, fight: modelled},
}

const (
	smallLives = 25_000 // states
	short      = 5 * time.Minute
	few        = "^(lone|extend|again|pause|text-settle|text-lease|crash-)" // lines of the model that take seconds
)

// modelled walks through lives of a job on the code in memory, and checks the model where its programs are installed.
// The engine under proof is compared with both by the other parts, and by the tests of package explore.
func modelled(ctx context.Context, r *round) error {
	all := r.Time > short
	for _, l := range lives.All {
		if !all && l.States > smallLives {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c, err := lives.Count(l)
		if err != nil {
			r.broke("%s: %v", l.Name, err)
			continue
		}
		if c.States != l.States {
			r.broke("%s: the code reaches %d states, the model has %d", l.Name, c.States, l.States)
		}
		r.found.States += c.States
	}
	pattern := few
	if all {
		pattern = "."
	}
	text, err := model.Check(ctx, r.dir, pattern, true)
	switch {
	case errors.Is(err, model.ErrMissing):
		r.note("the model itself was not checked: it needs %s", strings.Join(model.Needs, ", "))
		return nil
	case err != nil && ctx.Err() == nil:
		r.broke("the model: %s", text)
	}
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) > 1 {
		r.note("the model: %s: %s", lines[len(lines)-2], lines[len(lines)-1])
	}
	return ctx.Err()
}
