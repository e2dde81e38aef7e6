package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// startAPI starts the process of the API and its customers.
func (w *world) startAPI(ctx context.Context) error {
	role, more := "api", []string{"--listen", "127.0.0.1:0"}
	if w.admin {
		role, more = "api,admin", append(more, "--admin", "127.0.0.1:0")
	}
	w.api = w.process("api", func(string) []string { return w.serve(role, more...) })
	said, err := w.begin(ctx, w.api)
	if err != nil {
		return err
	}
	w.apiURL = "http://" + said.API
	if w.admin {
		w.adminURL = "http://" + said.Admin
	}
	w.shop = newShop(w.apiURL, w.cfg.Seed)
	return answers(ctx, w.apiURL+"/livez")
}

// hire starts so many worker processes, under names that none had before, and waits until each says that it lives.
func (w *world) hire(ctx context.Context, names ...string) error {
	for _, name := range names {
		w.workers = append(w.workers, w.process(name, func(life string) []string {
			args := w.serve("worker", "--livez", "127.0.0.1:0", "--name", life, "--concurrency", strconv.Itoa(slots), "--lease", Lease.String(),
				"--grace", grace.String(), "--max-failures", strconv.Itoa(maxFailures), "--backoff", backoff.String())
			for _, f := range w.faults {
				args = append(args, "--fault", f)
			}
			return args
		}))
	}
	return each(ctx, len(names), func(ctx context.Context, i int) error {
		said, err := w.begin(ctx, w.workers[len(w.workers)-len(names)+i])
		if err != nil {
			return err
		}
		return answers(ctx, "http://"+said.Livez+"/livez")
	})
}

// dismiss ends all workers in order, and fails unless each ends with exit status 0.
func (w *world) dismiss() error {
	ends := make([]error, len(w.workers))
	err := each(context.Background(), len(w.workers), func(_ context.Context, i int) error {
		if err := w.workers[i].end(grace + Lease); err != nil {
			ends[i] = fmt.Errorf("%s ended with %w", w.workers[i].name, err)
		}
		return nil
	})
	w.workers = nil
	return errors.Join(append(ends, err)...)
}

// process makes a process that is not started yet. Its log goes on where one of that name has ended.
func (w *world) process(name string, args func(life string) []string) *process {
	if w.logs[name] == nil {
		w.logs[name] = &journal{filepath.Join(w.dir, name+".log")}
	}
	return &process{name: name, binary: w.cfg.Binary, env: w.env(), args: args, log: w.logs[name]}
}

// env is the environment of the program's processes: of ours it holds only where the engine and the tables are.
func (w *world) env() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TWICE_") })
	env = append(env, "TWICE_ENGINE="+w.url)
	if w.data != "" {
		env = append(env, "TWICE_LEDGER="+w.data)
	}
	return env
}

func (w *world) serve(role string, more ...string) []string {
	args := append([]string{"serve", "--until-eof", "--role", role, "--gateway", w.GatewayURL, "--mail", w.MailAddr}, more...)
	if !w.noted {
		args = append(args, "--without-ledger")
	}
	if w.cfg.ReceiptDoubt == ledger.Resend {
		args = append(args, "--receipt-doubt", "resend")
	}
	return args
}

// begin starts a process and waits until it serves.
func (w *world) begin(ctx context.Context, p *process) (line, error) {
	mark := p.log.mark()
	if err := p.start(); err != nil {
		return line{}, fmt.Errorf("start %s: %w", p.name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a process that ends again and again is not waited for
		select {
		case <-p.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	said, err := p.log.await(ctx, mark, p.name+" serves", func(l line) bool { return l.Message == "serving" })
	if n := p.deaths(); err != nil && n > 0 {
		err = fmt.Errorf("%w: it ended %d times, the last with %s: %s", err, n, p.lastDeath(), p.log.last())
	}
	return said, err
}

// answers waits until a URL is answered with 200.
func answers(ctx context.Context, url string) error {
	return until(ctx, url+" answers", func() (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, err
		}
		return resp.StatusCode == http.StatusOK, resp.Body.Close()
	})
}

// holder gives the worker process that holds the lease of a job; nil where none of them does.
func (w *world) holder(ctx context.Context, job queue.ID) (*process, error) {
	r, err := w.look.Job(ctx, job)
	if err != nil || r.State != queue.Running {
		return nil, err
	}
	for _, p := range w.workers {
		if p.is(r.Worker) {
			return p, nil
		}
	}
	return nil, nil
}

// deaths is how often workers ended unasked.
func (w *world) deaths() (n int) {
	for _, p := range w.workers {
		n += p.deaths()
	}
	return n
}
