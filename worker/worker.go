package worker

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Worker runs the jobs of the kinds it has handlers for. Make one with New, add handlers with Handle,
// then Run it. Handle must not be called at the same time as Run; everything else may be.
type Worker struct {
	engine   queue.Engine
	cfg      Config
	problems queue.Problems
	handlers map[string]*handler
	observer observers
	one      sync.Mutex             // held by Run and RunLone
	run      atomic.Pointer[runner] // nil while neither is under way
}

// handler runs the jobs of one kind.
type handler struct {
	rules   twice.Rules
	timeout *TimeoutError // of jobs that name none of their own
	run     Run
}

// New makes a worker of engine. What is wrong with cfg, and with any Handle after it, is kept until Run,
// which then fails with all of it at once.
func New(engine queue.Engine, cfg Config) *Worker {
	w := &Worker{engine: engine, handlers: map[string]*handler{}}
	var traits queue.Traits
	if engine != nil {
		traits = engine.Traits()
	} else {
		w.wrong("it has no engine", "open one first")
	}
	var found queue.Problems
	w.cfg, found = cfg.complete(traits)
	w.problems = append(w.problems, found...)
	if cfg.Lone != nil {
		w.problems = append(w.problems, cfg.Lone.check()...)
	}
	w.observer = append(observers{logObserver{w.cfg.Logger, w.handlers}}, slices.DeleteFunc(slices.Clone(cfg.Observers), func(o Observer) bool { return o == nil })...)
	return w
}

// Handle lets w run the jobs of kind with fn: one handler a kind. fn answers nil (done), an error (it is
// retried, up to its cap), [twice.Bury] or [twice.Snooze]. Its context ends when the attempt has timed
// out, the lease is lost or the worker shuts down; [context.Cause] says which. fn may run concurrently,
// and twice for one job.
func Handle[T any](w *Worker, kind *twice.Kind[T], fn func(context.Context, twice.Job[T]) error) {
	if kind == nil || fn == nil {
		w.wrong("a handler was added without its kind or its function", "give both")
		return
	}
	rules := kind.Rules()
	if _, ok := w.handlers[rules.Kind]; ok {
		w.wrong(fmt.Sprintf("kind %s has two handlers", rules.Kind), "add one handler for each kind")
		return
	}
	w.handlers[rules.Kind] = &handler{rules: rules, timeout: &TimeoutError{rules.Timeout}, run: w.cfg.wrapped(func(ctx context.Context, lease queue.Lease) error {
		job, err := kind.Decode(lease)
		if err != nil {
			return &undecodable{err}
		}
		return fn(ctx, job)
	})}
}

func (w *Worker) wrong(detail, remedy string) {
	w.problems = append(w.problems, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
}

// check gives everything that is wrong with the worker as one error.
func (w *Worker) check() error {
	found := slices.Clone(w.problems)
	bad := func(detail, remedy string) {
		found = append(found, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	if len(w.handlers) == 0 {
		bad("it has no handler", "add one with worker.Handle")
	}
	for _, q := range w.cfg.Queues {
		if !slices.ContainsFunc(w.rules(), func(r twice.Rules) bool { return r.Queue == q }) {
			bad(fmt.Sprintf("it is to serve the queue %s, but handles no kind of it", q), "add a handler, or leave the queue out")
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &queue.Error{Op: "run worker", Subject: w.cfg.Name, Reason: queue.ErrInvalid, Cause: found}
}

// rules gives the rules of all handled kinds, by name.
func (w *Worker) rules() []twice.Rules {
	all := make([]twice.Rules, 0, len(w.handlers))
	for _, h := range w.handlers {
		all = append(all, h.rules)
	}
	slices.SortFunc(all, func(a, b twice.Rules) int {
		if a.Kind < b.Kind {
			return -1
		}
		return 1
	})
	return all
}

// served gives the kinds to claim, their queues, and their crash caps.
func (w *Worker) served() (kinds, queues []string, caps map[string]int) {
	caps = map[string]int{}
	for _, rules := range w.rules() {
		if len(w.cfg.Queues) > 0 && !slices.Contains(w.cfg.Queues, rules.Queue) {
			continue
		}
		kinds = append(kinds, rules.Kind)
		caps[rules.Kind] = rules.Caps.Crashes
		if !slices.Contains(queues, rules.Queue) {
			queues = append(queues, rules.Queue)
		}
	}
	return kinds, queues, caps
}
