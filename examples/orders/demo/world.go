package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// world is one application on one file, with the systems outside.
type world struct {
	*outside
	cfg    Config
	dir    string
	url    string          // of the engine
	data   string          // URL of the application's tables; empty: they are beside the jobs
	base   gateway.Control // what the gateway is told between scenes
	faults []string        // that its workers have
	noted  bool            // effects are recorded: there is a ledger

	engine  queue.Engine // the demo's own, on the same store as that of the processes
	look    queue.Inspector
	audit   queue.Auditor
	effects ledger.Store
	box     queue.Engine // whence jobs are forwarded to the engine; nil: nowhere
	closing func() error // of what is beside the engine
	app     *orders.App  // the application in the demo's process, for redeliveries and a look at its tables

	api      *process
	apiURL   string
	admin    bool // the API's process has the dashboard, too
	adminURL string
	shop     *shop // the API's customers; nil until it answers
	workers  []*process
	logs     map[string]*journal // by process
}

// openWorld opens a world in which no process runs yet. close must be called, also after an error.
func openWorld(ctx context.Context, cfg Config, dir, url string, noted bool) (*world, error) {
	w := &world{cfg: cfg, dir: dir, url: url, noted: noted, logs: map[string]*journal{}}
	var err error
	if w.outside, err = openOutside(); err != nil {
		return w, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return w, err
	}
	if url == "" {
		file := filepath.Join(dir, "orders.db")
		w.url = "sqlite:" + file
		w.engine, err = sqlite.Open(file, sqlite.Config{Logger: cfg.Logger})
	} else {
		w.engine, err = open.Engine(ctx, url)
	}
	if err != nil {
		w.engine = nil
		return w, err
	}
	if _, ok := queue.As[*memory.Engine](w.engine); ok {
		return w, &queue.Error{Op: "demo", Subject: open.Redacted(url), Reason: queue.ErrUnsupported,
			Detail: "its jobs live in one process, and the demo's API and workers are processes of their own",
			Remedy: "use sqlite:PATH, or leave --engine out"}
	}
	if _, ok := queue.As[*sqlite.Engine](w.engine); !ok { // the tables, and the ledger beside them, are elsewhere
		w.data = "sqlite:" + filepath.Join(dir, "orders.db")
	}
	base, closing, err := orders.Beside(ctx, w.engine, w.data)
	if err != nil {
		return w, err
	}
	w.effects, w.box, w.closing = base.Ledger, base.Box, closing
	var err2 error
	w.look, err = queue.Need[queue.Inspector](w.engine, "demo")
	w.audit, err2 = queue.Need[queue.Auditor](w.engine, "demo")
	if err := errors.Join(err, err2); err != nil {
		return w, err
	}
	w.app, err = orders.New(ctx, base, orders.Config{
		Gateway: w.GatewayURL, Mail: w.MailAddr, Settling: -1, Logger: cfg.Logger, WithoutLedger: !noted})
	return w, err
}

// tables says where the application's data and its ledger are, and how jobs come to the engine from there.
func (w *world) tables() string {
	if w.box == nil {
		return "in the jobs' own database: an order and its job are one transaction, and so are a charge's record, the next job and the end of this one"
	}
	return "in SQLite, with the ledger: an order and its job are one transaction there, in an outbox, whence the job is forwarded to the engine under the same id"
}

// fresh fails unless the engine has never had a job.
func (w *world) fresh(ctx context.Context) error {
	books, err := w.audit.Audit(ctx)
	for _, b := range books {
		if b.Accepted > 0 {
			return &queue.Error{Op: "demo", Subject: open.Redacted(w.url), Reason: queue.ErrInvalid,
				Detail: fmt.Sprintf("its queue %s has %d jobs, and the demo counts everything there is", b.Queue, b.Accepted),
				Remedy: "name a store of its own, which it makes; or leave --engine out for one that is removed afterwards"}
		}
	}
	return err
}

// close ends every process, by force if it does not end in order at once or, with inOrder, within its grace;
// and frees everything.
func (w *world) close(inOrder bool) {
	within := 500 * time.Millisecond
	if inOrder {
		within = grace + Lease
	}
	var gone []chan struct{}
	for _, p := range append([]*process{w.api}, w.workers...) {
		if p != nil {
			done := make(chan struct{})
			gone = append(gone, done)
			go func() { _ = p.end(within); close(done) }()
		}
	}
	for _, done := range gone {
		<-done
	}
	if w.closing != nil {
		_ = w.closing()
	}
	if w.engine != nil {
		_ = w.engine.Close()
	}
	w.outside.close()
}

// settle ends every misbehaviour that a scene has told the gateway or the mail server, and lets go whom they hold.
func (w *world) settle(ctx context.Context) { w.behave(ctx, w.base) }
