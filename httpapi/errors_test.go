package httpapi

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice/queue"
)

// queueErrors gives every error that package queue declares, by name; it fails where the list here is not complete.
func queueErrors(t *testing.T) map[string]error {
	all := map[string]error{
		"ErrInvalid": queue.ErrInvalid, "ErrTooLarge": queue.ErrTooLarge, "ErrConflict": queue.ErrConflict, "ErrRefused": queue.ErrRefused,
		"ErrLeaseLost": queue.ErrLeaseLost, "ErrCancelled": queue.ErrCancelled, "ErrNotFound": queue.ErrNotFound, "ErrState": queue.ErrState,
		"ErrInDoubt": queue.ErrInDoubt, "ErrCapped": queue.ErrCapped, "ErrFired": queue.ErrFired, "ErrUnknownOutcome": queue.ErrUnknownOutcome,
		"ErrUnavailable": queue.ErrUnavailable, "ErrReadOnly": queue.ErrReadOnly, "ErrFull": queue.ErrFull, "ErrCorrupt": queue.ErrCorrupt,
		"ErrSchema": queue.ErrSchema, "ErrClosed": queue.ErrClosed, "ErrUnsupported": queue.ErrUnsupported,
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "queue", "errors.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Err") {
			names = append(names, v.Names[0].Name)
		}
		return true
	})
	slices.Sort(names)
	if !slices.Equal(names, slices.Sorted(maps.Keys(all))) {
		t.Fatalf("package queue declares %v", names)
	}
	return all
}

// failing is an engine whose look-ups and changes fail.
type failing struct {
	queue.Engine
	err error
}

func (f failing) Unwrap() queue.Engine { return f.Engine }
func (f failing) Enqueue(context.Context, ...queue.Job) ([]queue.Receipt, error) {
	return nil, f.err
}
func (f failing) Job(context.Context, queue.ID) (queue.Record, error) { return queue.Record{}, f.err }
func (f failing) List(context.Context, queue.Query) (queue.Page, error) {
	return queue.Page{}, f.err
}
func (f failing) Depths(context.Context, ...string) ([]queue.Depth, error) { return nil, f.err }

// Every reason of an error, and every reason beside it, holds at the client as it does at the engine; and so do op,
// subject and remedy.
func TestErrors_hold_across_the_wire(t *testing.T) {
	all := queueErrors(t)
	cases := map[string]error{
		"cancelled and lease lost": &queue.Error{Op: "extend", Subject: "j", Reason: queue.ErrCancelled, Cause: queue.ErrLeaseLost},
		"joined":                   errors.Join(queue.ErrNotFound, queue.ErrState),
		"wrapped":                  fmt.Errorf("while looking: %w", &queue.Error{Op: "job", Subject: "j", Reason: queue.ErrCorrupt}),
		"caused":                   &queue.Error{Op: "commit", Subject: "db", Reason: queue.ErrUnknownOutcome, Cause: &queue.Error{Op: "write", Reason: queue.ErrFull}},
		"several": &queue.Error{Op: "enqueue", Subject: "k/x", Cause: queue.Problems{
			&queue.Error{Reason: queue.ErrInvalid, Detail: "its queue is empty"}, &queue.Error{Reason: queue.ErrTooLarge, Detail: "its key is long"}}},
		"several in several": &queue.Error{Op: "a", Cause: queue.Problems{&queue.Error{Op: "b", Reason: queue.ErrInvalid, Cause: queue.Problems{&queue.Error{Reason: queue.ErrState}, &queue.Error{Reason: queue.ErrFired}}}}},
	}
	for name, err := range all {
		cases[name] = &queue.Error{Op: "op", Subject: "subject", Reason: err, Detail: "a detail", Remedy: "a remedy"}
		cases["plain "+name] = err
	}
	for name, want := range cases {
		r := newRig(t, failing{inMemory(t), want}, Config{Tokens: tokens(t)})
		r.Handler = r.api // not held to the description: no engine refuses a look-up so
		c := r.client(opToken)
		_, looked := c.Job(t.Context(), queue.NewID("k", "x"))
		_, enqueued := c.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "x"})
		_, one := c.EnqueueOne(t.Context(), NewJob{Kind: "k", Key: "x", Args: []byte("{}")})
		for call, got := range map[string]error{"look up": looked, "enqueue": enqueued, "enqueue one": one} {
			for reason, err := range all {
				if errors.Is(got, err) != errors.Is(want, err) {
					t.Errorf("%s, %s: is %s at the engine %t, at the client %t (%v)", name, call, reason, errors.Is(want, err), errors.Is(got, err), got)
				}
			}
			var sent, come *queue.Error
			if errors.As(want, &sent) && errors.As(got, &come) && (come.Op != sent.Op || come.Subject != sent.Subject || sent.Remedy != "" && come.Remedy != sent.Remedy || come.Remedy == "") {
				t.Errorf("%s, %s: %+v came as %+v", name, call, sent, come)
			}
		}
	}
}

// Reasons of the API itself hold at the client too.
func TestErrors_of_the_API_hold_across_the_wire(t *testing.T) {
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t)})
	if _, err := r.client("").Abilities(t.Context()); !errors.Is(err, ErrUnauthenticated) {
		t.Error(err)
	}
	if _, err := r.client("another-token-0123456789").Abilities(t.Context()); !errors.Is(err, ErrUnauthenticated) {
		t.Error(err)
	}
	if _, err := r.client(viewToken).Redrive(t.Context(), Change{IDs: []queue.ID{{1}}, Why: because}); !errors.Is(err, ErrForbidden) {
		t.Error(err)
	}
	if !errors.Is(ErrExposed, queue.ErrInvalid) {
		t.Error("ErrExposed is not ErrInvalid")
	}
}

// An error without a known reason tells nothing of itself.
func TestErrors_without_a_reason_are_not_told(t *testing.T) {
	r := newRig(t, failing{inMemory(t), errors.New("open /secret/path: password=hunter2")}, Config{})
	w := r.ask("GET", v1+"jobs", "")
	if w.Code != 500 || strings.Contains(w.Body.String(), "hunter2") || fault(t, w).Reason != "internal" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if _, err := r.client("").JobsPage(t.Context(), queue.Query{}); !errors.Is(err, ErrInternal) {
		t.Error(err)
	}
}
