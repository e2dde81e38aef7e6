package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// kept is an engine that outlives the commands of a test.
type kept struct{ *memory.Engine }

func (kept) Close() error { return nil }

// rig runs commands against one engine in memory.
type rig struct {
	t       *testing.T
	engine  *memory.Engine
	opened  queue.Engine // what commands get
	env     map[string]string
	stdin   string
	now     func() time.Time
	watched bool // a person looks at all streams
	urls    []string
}

func newRig(t *testing.T) *rig {
	e, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return &rig{t: t, engine: e, opened: kept{e}, env: map[string]string{}, now: time.Now}
}

type answer struct {
	t        *testing.T
	args     []string
	status   int
	out, err string
}

func (r *rig) run(args ...string) answer {
	r.t.Helper()
	return r.runIn(context.Background(), args...)
}

func (r *rig) runIn(ctx context.Context, args ...string) answer {
	r.t.Helper()
	var out, errs bytes.Buffer
	m := Main{
		Stdin: strings.NewReader(r.stdin), Stdout: &out, Stderr: &errs, Args: args, Zone: time.UTC, Now: r.now,
		Env: func(name string) string { return r.env[name] }, User: func() string { return "ada" },
		Terminal: func(any) bool { return r.watched },
		Open: func(_ context.Context, url string, _ bool) (queue.Engine, error) {
			r.urls = append(r.urls, url)
			return r.opened, nil
		},
	}
	status := m.Run(ctx)
	return answer{r.t, args, status, out.String(), errs.String()}
}

// ends checks the exit status.
func (a answer) ends(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("twice %q ended %d, want %d\nstdout: %s\nstderr: %s", a.args, a.status, status, a.out, a.err)
	}
	return a
}

// says checks that the answer, on either stream, holds each of the texts.
func (a answer) says(texts ...string) answer {
	a.t.Helper()
	for _, text := range texts {
		if !strings.Contains(a.out+a.err, text) {
			a.t.Fatalf("twice %q does not say %q\nstdout: %s\nstderr: %s", a.args, text, a.out, a.err)
		}
	}
	return a
}

func (a answer) lacks(texts ...string) answer {
	a.t.Helper()
	for _, text := range texts {
		if strings.Contains(a.out+a.err, text) {
			a.t.Fatalf("twice %q says %q\nstdout: %s\nstderr: %s", a.args, text, a.out, a.err)
		}
	}
	return a
}

// decode reads the one JSON document of the answer.
func decode[T any](a answer) T {
	a.t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(a.out))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		a.t.Fatalf("twice %q: %v\nstdout: %s\nstderr: %s", a.args, err, a.out, a.err)
	}
	if _, err := d.Token(); err != io.EOF {
		a.t.Fatalf("twice %q: more than one document: %s", a.args, a.out)
	}
	if a.err != "" {
		a.t.Fatalf("twice %q wrote to stderr beside JSON: %s", a.args, a.err)
	}
	return v
}

// harmless checks that nothing on either stream can move a terminal.
func (a answer) harmless() answer {
	a.t.Helper()
	for _, r := range a.out + a.err {
		if r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) {
			a.t.Fatalf("twice %q lets %U through\nstdout: %q\nstderr: %q", a.args, r, a.out, a.err)
		}
	}
	return a
}

func (r *rig) enqueue(jobs ...queue.Job) []queue.ID {
	r.t.Helper()
	receipts, err := r.engine.Enqueue(context.Background(), jobs...)
	if err != nil {
		r.t.Fatal(err)
	}
	ids := make([]queue.ID, len(jobs))
	for i, got := range receipts {
		if ids[i] = got.ID; got.Err != nil {
			r.t.Fatal(got.Err)
		}
	}
	return ids
}

// charge makes jobs o-0, o-1, … of kind orders.charge.
func charges(n int) []queue.Job {
	jobs := make([]queue.Job, n)
	for i := range jobs {
		jobs[i] = queue.Job{Queue: "orders", Kind: "orders.charge", Key: fmt.Sprintf("o-%d", i), Payload: fmt.Appendf(nil, `{"order_id":"o-%d"}`, i)}
	}
	return jobs
}

// claim leases everything that is due.
func (r *rig) claim() []queue.Lease {
	r.t.Helper()
	var kinds, queues []string
	page, err := r.engine.List(context.Background(), queue.Query{Limit: queue.MaxPage})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, rec := range page.Records {
		kinds, queues = append(kinds, rec.Job.Kind), append(queues, rec.Job.Queue)
	}
	leases, err := r.engine.Claim(context.Background(), queue.Claim{ID: queue.NewClaimID(), Worker: "w-1", Queues: queues, Kinds: kinds, Max: 1000, TTL: time.Minute})
	if err != nil {
		r.t.Fatal(err)
	}
	return leases
}

func (r *rig) settle(ends ...queue.Settlement) {
	r.t.Helper()
	errs, err := r.engine.Settle(context.Background(), ends...)
	for _, e := range append(errs, err) {
		if e != nil {
			r.t.Fatal(e)
		}
	}
}

func dead(l queue.Lease, reason queue.Reason, text string) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Dead, Outcome: queue.OutcomeFailed, Reason: reason, Error: text}
}

// doubted makes a dead job whose effect "charge" nobody can tell of.
func (r *rig) doubted(l queue.Lease) {
	r.t.Helper()
	ctx, store := context.Background(), r.engine.Ledger()
	try := ledger.Try{ID: ledger.NewTryID(), Lease: l, Step: "charge"}
	if _, err := store.Intend(ctx, try); err != nil {
		r.t.Fatal(err)
	}
	if err := store.Doubt(ctx, try); err != nil {
		r.t.Fatal(err)
	}
	s := dead(l, queue.ReasonDoubt, "nobody can tell")
	s.Effects = []queue.Effect{{Step: "charge", State: queue.EffectUnknown}}
	r.settle(s)
}

func (r *rig) state(id queue.ID) queue.State {
	r.t.Helper()
	rec, err := r.engine.Job(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec.State
}
