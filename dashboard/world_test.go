package dashboard

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/httpapi"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

const (
	opToken   = "operator-token-0123456789"
	viewToken = "viewer-token-0123456789"
)

// clock is a time that a test moves; between its moves it goes on by itself.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// world is an engine in which some things have gone well and others have not, its API and its dashboard.
type world struct {
	t       testing.TB
	ctx     context.Context
	clock   *clock
	engine  *memory.Engine
	gate    *gate
	api     *httpapi.Server
	board   *Dashboard
	handler http.Handler
	samples []diagnose.Sample
	n       int

	mu      sync.Mutex
	found   []diagnose.Finding
	running map[string][]queue.Lease
	recent  map[string]*queue.Recent
}

// gate is an engine that can be away.
type gate struct {
	*memory.Engine
	mu   sync.Mutex
	away bool
	more []queue.Depth // told besides
}

func (g *gate) set(away bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.away = away
}

func (g *gate) err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return &queue.Error{Op: "ask", Subject: "the engine", Reason: queue.ErrUnavailable, Detail: "connection refused", Remedy: "see that it runs"}
	}
	return nil
}

func (g *gate) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	if err := g.err(); err != nil {
		return nil, err
	}
	all, err := g.Engine.Depths(ctx, queues...)
	if len(queues) == 0 {
		all = append(all, g.more...)
	}
	return all, err
}

func (g *gate) List(ctx context.Context, q queue.Query) (queue.Page, error) {
	if err := g.err(); err != nil {
		return queue.Page{}, err
	}
	return g.Engine.List(ctx, q)
}

func (g *gate) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	if err := g.err(); err != nil {
		return queue.Record{}, err
	}
	return g.Engine.Job(ctx, id)
}

func (g *gate) Workers(ctx context.Context) ([]queue.Worker, error) {
	if err := g.err(); err != nil {
		return nil, err
	}
	return g.Engine.Workers(ctx)
}

// newWorld makes an empty one that is a quarter of an hour in the past. With tokens alice is an operator and bob a viewer.
func newWorld(t testing.TB, tokens bool, cfg Config) *world {
	t.Helper()
	w := &world{t: t, ctx: context.Background(), clock: &clock{ahead: -13 * time.Minute}, running: map[string][]queue.Lease{}, recent: map[string]*queue.Recent{}}
	var err error
	if w.engine, err = memory.New(memory.Config{Now: w.clock.now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.engine.Close() })
	w.gate = &gate{Engine: w.engine}
	api := httpapi.Config{Now: w.clock.now, Logger: slog.New(slog.DiscardHandler), Findings: w.findings, Ledger: w.engine.Ledger()}
	if tokens {
		if api.Tokens, err = httpapi.ParseTokens("operator:alice=" + opToken + ",viewer:bob=" + viewToken); err != nil {
			t.Fatal(err)
		}
	}
	if w.api, err = httpapi.New(w.gate, api); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.api.Close(context.Background()) })
	if cfg.Every == 0 {
		cfg.Every = -1
	}
	cfg.Now, cfg.Logger = w.clock.now, slog.New(slog.DiscardHandler)
	if w.board, err = New(w.api, cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.board.Close() })
	w.board.beat = 400 * time.Millisecond
	w.handler = w.board
	return w
}

func (w *world) findings(context.Context) ([]diagnose.Finding, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.gate.err(); err != nil {
		return []diagnose.Finding{{Verdict: diagnose.BrokerDown, Says: "The engine does not answer.", Evidence: []diagnose.Evidence{}}}, nil
	}
	return w.found, nil
}

// must stops the test where the world could not be made.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// hand hands in a job and gives its id.
func (w *world) hand(name, kind, key, payload string, change ...func(*queue.Job)) queue.ID {
	w.t.Helper()
	w.n++
	j := queue.Job{Queue: name, Kind: kind, Key: key, Payload: []byte(payload), Headers: queue.Headers{
		"request_id": fmt.Sprintf("req-%06x", 0x51a3c0+w.n*7919), "traceparent": fmt.Sprintf("00-%032x-%016x-01", 0x4bf92f3577b3+w.n, 0xf067aa0b+w.n)}}
	for _, c := range change {
		c(&j)
	}
	j, err := j.Prepared(1<<20, w.clock.now())
	w.must(err)
	receipts, err := w.engine.Enqueue(w.ctx, j)
	w.must(err)
	w.must(receipts[0].Err)
	return j.ID
}

// claim leases jobs for a worker.
func (w *world) claim(worker, name string, max int, kinds ...string) []queue.Lease {
	w.t.Helper()
	leases, err := w.engine.Claim(w.ctx, queue.Claim{ID: queue.NewClaimID(), Worker: worker, Queues: []string{name}, Kinds: kinds, Max: max, TTL: 4 * time.Hour})
	w.must(err)
	return leases
}

func (w *world) settle(s queue.Settlement) {
	w.t.Helper()
	errs, err := w.engine.Settle(w.ctx, s)
	w.must(err)
	for _, err := range errs {
		w.must(err)
	}
}

// bury lets a lease's job die of an error.
func (w *world) bury(l queue.Lease, reason queue.Reason, text string) {
	w.t.Helper()
	w.settle(queue.Settlement{Lease: l, State: queue.Dead, Outcome: queue.OutcomeFailed, Reason: reason, Error: text})
}

// retry sends a lease's job back after a failure.
func (w *world) retry(l queue.Lease, text string, after time.Duration) {
	w.t.Helper()
	w.settle(queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: text, RunAt: w.clock.now().Add(after)})
}

func (w *world) tally(worker, name, kind string) *queue.Recent {
	key := worker + "/" + kind
	if w.recent[key] == nil {
		w.recent[key] = &queue.Recent{Queue: name, Kind: kind, P50: 400 * time.Millisecond, P99: 2100 * time.Millisecond, Measured: 200}
	}
	return w.recent[key]
}

// announce says that a worker lives, with what it runs.
func (w *world) announce(name, host string, slots int, queues, kinds []string, started time.Time, progress map[queue.ID][2]int) {
	w.t.Helper()
	now := w.clock.now()
	one := queue.Worker{Name: name, Host: host, PID: 4711, Version: "v1.4.2", Queues: queues, Kinds: kinds, Slots: slots, Busy: len(w.running[name]), LastPoll: now.Add(-800 * time.Millisecond), Started: started, SaidAt: now}
	if one.Busy == slots {
		one.LastPoll = started
		for _, l := range w.running[name] {
			if l.ClaimedAt.After(one.LastPoll) {
				one.LastPoll = l.ClaimedAt
			}
		}
	}
	for _, l := range w.running[name] {
		p := queue.Progress{Job: l.Job.ID, Queue: l.Job.Queue, Kind: l.Job.Kind, Attempt: l.Token, Since: l.ClaimedAt}
		if at, ok := progress[l.Job.ID]; ok {
			p.Done, p.Total, p.Moved = at[0], at[1], now.Add(-2*time.Second)
		}
		one.Running = append(one.Running, p)
	}
	for key, r := range w.recent {
		if strings.HasPrefix(key, name+"/") {
			one.Recent = append(one.Recent, *r)
		}
	}
	w.must(w.engine.Announce(w.ctx, one, 10*time.Minute))
}

// sample judges the queues as a watch would, and lets the dashboard take its numbers.
func (w *world) sample() {
	w.t.Helper()
	depths, err := w.engine.Depths(w.ctx)
	w.must(err)
	workers, err := w.engine.Workers(w.ctx)
	w.must(err)
	s := diagnose.Sample{At: w.clock.now(), Queues: depths, Workers: workers, Usual: []diagnose.Usual{{Queue: "charges", Kind: "orders.charge", P50: 400 * time.Millisecond, P99: 2100 * time.Millisecond}}}
	w.samples = append(w.samples, s)
	if len(w.samples) > diagnose.DefaultWindow {
		w.samples = w.samples[1:]
	}
	w.mu.Lock()
	w.found = diagnose.Diagnose(w.samples, diagnose.Rules{})
	w.mu.Unlock()
	api, err := w.board.client(opToken, "", nil)
	w.must(err)
	w.board.sampled(w.board.look(w.ctx, api, w.clock.now(), map[string]bool{"verdicts": true}))
}

// ids that a test wants to look at.
type shop struct{ charged, stuck, doubt, retried, cancelled, dead queue.ID }

// play plays a quarter of an hour of a shop: orders go well, charges have been stuck for some minutes, mails die, reports
// wait for the night, imports are paused.
func (w *world) play() shop {
	w.t.Helper()
	var s shop
	alice := queue.Actor{Name: "alice", Why: "the warehouse counts its stock (OPS-311)"}
	began := w.clock.now()
	for i := range 6 {
		w.hand("imports", "stock.import", fmt.Sprintf("wh-%d", i), `{"warehouse":"w-3"}`)
	}
	w.must(w.engine.Pause(w.ctx, alice, "imports"))
	for i := range 40 {
		w.hand("reports", "reports.daily", fmt.Sprintf("2026-12-%02d", i%28+1)+strings.Repeat("x", i/28), `{}`, func(j *queue.Job) { j.RunAt = began.Add(time.Duration(i+3) * time.Hour) })
	}
	w.must(w.engine.PutSchedule(w.ctx, queue.Schedule{Name: "nightly-report", Spec: "daily 02:15", Zone: "Europe/Berlin", Queue: "reports", Kind: "reports.daily"}))
	w.must(w.engine.PutSchedule(w.ctx, queue.Schedule{Name: "reconcile-payments", Spec: "@every 10m", Queue: "charges", Kind: "orders.reconcile"}))
	w.must(w.engine.PutSchedule(w.ctx, queue.Schedule{Name: "stock-import", Spec: "daily 06:00", Zone: "America/New_York", Queue: "imports", Kind: "stock.import"}))
	w.must(w.engine.PauseSchedule(w.ctx, alice, "stock-import", true))
	fired := time.Time{}
	fire := func() {
		due := w.clock.now().Truncate(10 * time.Minute)
		if due.Equal(fired) {
			return
		}
		j, err := queue.Job{Queue: "charges", Kind: "orders.reconcile", Key: "reconcile-payments@" + due.Format(time.RFC3339), Payload: []byte("{}")}.Prepared(1<<20, w.clock.now())
		w.must(err)
		_, err = w.engine.Fire(w.ctx, "reconcile-payments", fired, due, j)
		w.must(err)
		fired = due
	}
	orders, charges, mails := []string{"orders.place", "orders.ship"}, []string{"orders.charge", "orders.reconcile"}, []string{"mails.receipt", "mails.reminder"}
	dead := 0
	for step := range 130 {
		w.clock.pass(6 * time.Second)
		fire()
		for i := range 4 + step*7%13 {
			kind := orders[i%2]
			w.hand("orders", kind, fmt.Sprintf("o-%d-%d", step, i), fmt.Sprintf(`{"order_id":"o-%d-%d"}`, step, i))
		}
		for i, worker := range []string{"shop-a1", "shop-b2"} {
			leases := append(w.running[worker], w.claim(worker, "orders", 6-i, orders...)...)
			w.running[worker] = leases[max(0, len(leases)-3+i):]
			for _, l := range leases[:max(0, len(leases)-3+i)] {
				w.settle(queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
				r := w.tally(worker, "orders", l.Job.Kind)
				r.Begun, r.Done, r.LastDone, r.Run = r.Begun+1, r.Done+1, w.clock.now(), r.Run+400*time.Millisecond
			}
		}
		for i := range 2 + step%2 {
			id := w.hand("charges", "orders.charge", fmt.Sprintf("o-%d-%d", step, i), fmt.Sprintf(`{"order_id":"o-%d-%d","amount_cents":%d}`, step, i, 1999+i))
			s.charged = id
		}
		if step < 75 {
			for _, l := range w.claim("billing-7f4c", "charges", 8, charges...) {
				w.settle(queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
				r := w.tally("billing-7f4c", "charges", l.Job.Kind)
				r.Begun, r.Done, r.LastDone, r.Run = r.Begun+1, r.Done+1, w.clock.now(), r.Run+400*time.Millisecond
			}
		} else if step < 78 && len(w.running["billing-7f4c"]) < 4 {
			for _, l := range w.claim("billing-7f4c", "charges", 4-len(w.running["billing-7f4c"]), charges...) {
				w.running["billing-7f4c"] = append(w.running["billing-7f4c"], l)
				w.tally("billing-7f4c", "charges", l.Job.Kind).Begun++
				s.stuck = l.Job.ID
			}
		}
		for i := range 2 {
			w.hand("mails", mails[i], fmt.Sprintf("m-%d-%d", step, i), `{"to":"customer"}`)
		}
		for _, l := range w.claim("post-2", "mails", 4, mails...) {
			r := w.tally("post-2", "mails", l.Job.Kind)
			r.Begun++
			switch dead++; {
			case dead%11 == 3 && l.Job.Kind == "mails.receipt":
				w.bury(l, queue.ReasonFailures, fmt.Sprintf("send receipt for order o-%d: 550 5.1.1 <customer-%d@example.com>: mailbox does not exist", step, step*31))
				r.Failed, r.Dead = r.Failed+1, r.Dead+1
				s.dead = l.Job.ID
			case dead%37 == 5:
				w.bury(l, queue.ReasonBuried, "render reminder: template: reminder: field DueDate is missing in version 2 of the payload")
				r.Buried, r.Dead = r.Buried+1, r.Dead+1
			case dead%23 == 7:
				w.retry(l, "send: dial tcp 10.2.0.7:25: connect: connection refused", 9*time.Minute)
				r.Failed++
				s.retried = l.Job.ID
			default:
				w.settle(queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
				r.Done, r.LastDone, r.Run = r.Done+1, w.clock.now(), r.Run+300*time.Millisecond
			}
		}
		if step == 40 {
			s.doubt = w.doubt()
			s.cancelled = w.hand("mails", "mails.reminder", "m-wrong", `{}`, func(j *queue.Job) { j.RunAt = w.clock.now().Add(time.Hour) })
			errs, err := w.engine.Cancel(w.ctx, queue.Actor{Name: "alice", Why: "sent to the wrong list"}, queue.Cut{ID: s.cancelled})
			w.must(err)
			w.must(errs[0])
		}
		progress := map[queue.ID][2]int{}
		for i, l := range w.running["shop-a1"] {
			progress[l.Job.ID] = [2]int{140 + 130*i, 500}
		}
		w.announce("shop-a1", "shop-1.internal", 10, []string{"orders"}, orders, began, progress)
		w.announce("shop-b2", "shop-2.internal", 10, []string{"orders"}, orders, began, nil)
		w.announce("billing-7f4c", "billing.internal", 4, []string{"charges"}, charges, began, nil)
		w.announce("post-2", "post.internal", 6, []string{"mails", "reports"}, append([]string{"reports.daily"}, mails...), began, nil)
		w.sample()
	}
	return s
}

// doubt makes a job of which nobody can tell whether its charge went through, after two attempts and a crash.
func (w *world) doubt() queue.ID {
	w.t.Helper()
	id := w.hand("charges", "orders.charge", "o-doubt-1", `{"order_id":"o-doubt-1","amount_cents":4900}`)
	take := func() queue.Lease {
		for _, l := range w.claim("billing-7f4c", "charges", 50, "orders.charge") {
			if l.Job.ID == id {
				return l
			}
			w.settle(queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
		}
		w.t.Fatal("the job was not claimed")
		return queue.Lease{}
	}
	l := take()
	w.clock.pass(1300 * time.Millisecond)
	w.retry(l, "charge order o-doubt-1: gateway: 503 Service Unavailable", 0)
	w.clock.pass(2 * time.Second)
	l = take()
	try := ledger.Try{ID: ledger.NewTryID(), Lease: l, Step: "charge"}
	_, err := w.engine.Ledger().Intend(w.ctx, try)
	w.must(err)
	w.must(w.engine.Ledger().Doubt(w.ctx, try))
	w.clock.pass(5 * time.Second)
	w.bury(l, queue.ReasonDoubt, "charge: the gateway closed the connection after the request was sent; it cannot be asked")
	return id
}
