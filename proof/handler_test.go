package proof

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/twicehq/twice"
)

type listener struct {
	testing.TB
	failed bool
	text   string
}

func (l *listener) Log(a ...any)                   { l.text += fmt.Sprintln(a...) }
func (l *listener) Error(a ...any)                 { l.failed = true; l.Log(a...) }
func (l *listener) Errorf(format string, a ...any) { l.Error(fmt.Sprintf(format, a...)) }

// A test does not pass for everything where a limit that nobody set cut it short; one that was set is what was asked for.
func TestUnmeantLimitFails(t *testing.T) {
	c := Case[int, *Outside]{
		World: func(o *Outside) (*Outside, error) { return o, nil }, Observe: func(*Outside) any { return nil },
		Kind: twice.Define("proof.limits", twice.Policy[int]{Key: twice.ByPayload[int]}),
		Handle: func(o *Outside, ctx context.Context, _ twice.Job[int]) error {
			return o.Call(ctx, "act", func() error { return nil })
		},
	}
	for _, meant := range []bool{false, true} {
		if meant {
			c.Limits.Pairs = 4
		}
		p, err := c.plan()
		if err != nil {
			t.Fatal(err)
		}
		p.limits.Pairs = 4
		seen := &listener{TB: t}
		tell(seen, p.run())
		if seen.failed == meant || !strings.Contains(seen.text, "NOT EXHAUSTIVE: cut short at Limits.Pairs = 4") {
			t.Errorf("meant %t, failed %t:\n%s", meant, seen.failed, seen.text)
		}
	}
}
