package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/queue"
)

type serveCmd struct {
	Role         []string      `help:"What this process runs: all, or any of api, worker, scheduler, admin; repeated or with commas." default:"all" placeholder:"ROLE"`
	Listen       string        `help:"Where the API listens, with /livez." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Livez        string        `help:"Where to answer /livez in a process without the API; none unless given." placeholder:"HOST:PORT"`
	Admin        string        `help:"Where the role admin listens: the API for operators, the dashboard, /metrics, /livez and /readyz. An address that is not of this machine alone needs TWICE_TOKENS." default:"127.0.0.1:7420" placeholder:"HOST:PORT"`
	Gateway      string        `help:"Base URL of the payment gateway. Workers need it." placeholder:"URL"`
	Mail         string        `help:"The mail server. Workers need it." placeholder:"HOST:PORT"`
	From         string        `help:"Who sends the receipts." default:"receipts@shop.test" placeholder:"ADDRESS"`
	ReceiptDoubt string        `help:"What to do with a receipt of which nobody can tell whether it was sent: park it for a person, or resend it." enum:"park,resend" default:"park"`
	Concurrency  int           `help:"How many jobs a worker runs at once." default:"10" placeholder:"N"`
	Lease        time.Duration `help:"How long a lease lasts; it is extended every third of that." default:"30s"`
	Grace        time.Duration `help:"How long running jobs may go on after SIGTERM." default:"25s"`
	MaxFailures  int           `help:"How often a job may fail before it is a dead letter." default:"8" placeholder:"N"`
	Backoff      time.Duration `help:"The wait before the first retry; each further one is four times as long." default:"1s"`
	Reconcile    string        `help:"When the scheduler has the books compared with the gateway's." default:"@every 1h" placeholder:"SPEC"`
	Settling     time.Duration `help:"Charges younger than this are left to the next comparison." default:"1m"`
	Name         string        `help:"The worker's name, unique among all; made of host and process id unless given." placeholder:"NAME"`
	LogLevel     string        `help:"Log from this level on: debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`

	// For demonstrations, and for this program's own children.
	Fault         []string `hidden:"" help:"FOR DEMONSTRATIONS: charges of orders whose reference begins so misbehave: PREFIX=fail|panic|kill|hang."`
	WithoutLedger bool     `hidden:"" help:"FOR DEMONSTRATIONS: keep no record of effects."`
	UntilEOF      bool     `hidden:"" name:"until-eof" help:"End in order when standard input ends, so that no parent leaves this process behind."`
	Lone          bool     `hidden:"" help:"Run the one suspect whose lease comes on standard input: a worker starts this."`
}

func (serveCmd) Help() string {
	return `Use it to run the orders application: an API that takes orders, workers that charge and mail them, the scheduler of its bookkeeping, and what operators look at: a dashboard, an API and metrics. Any number of processes may share one engine. It logs JSON on stderr, and ends in order on SIGTERM.

    twice serve --engine sqlite:orders.db --gateway http://127.0.0.1:8081 --mail 127.0.0.1:2525
    TWICE_TOKENS=operator:ada=TOKEN,viewer:bob=TOKEN twice serve --role admin --admin 0.0.0.0:7420
    twice serve --role worker --livez 127.0.0.1:8090 --gateway http://127.0.0.1:8081 --mail 127.0.0.1:2525

` + "`twice demo --keep`" + ` leaves a gateway and a mail server running to try it with.`
}

const serveOp = "serve"

func (c serveCmd) Run(ctx context.Context, s *session) error {
	roles, cfg, err := c.plan()
	if err != nil {
		return err
	}
	log := c.logger(s.Stderr)
	slog.SetDefault(log) // what engines warn of belongs there, too
	cfg.Logger = log
	engine, err := s.engineOrNew(ctx)
	if err != nil {
		return err
	}
	base, closing, err := orders.Beside(ctx, engine, s.Env("TWICE_LEDGER"))
	if err != nil {
		return err
	}
	s.closers = append(s.closers, closing)
	ops := newOps(log, engine)
	cfg.Enqueuer, cfg.Scheduling = ops.enqueuer, cron.ObserverFunc(ops.fired)
	app, err := orders.New(ctx, base, cfg)
	if err != nil {
		return err
	}
	if c.Lone {
		return logged(log, app.Worker(c.worker(s)).RunLone(ctx, s.Stdin, s.Stdout))
	}
	run, err := c.listen(roles)
	if err != nil {
		return err
	}
	if roles.worker {
		w := c.worker(s)
		ops.observe(&w)
		run.Worker = &w
	}
	run.Schedule = roles.scheduler
	if roles.admin {
		if run.Beside, err = ops.admin(s, c.Admin, base, app); err != nil {
			_ = closeAll(run.API, run.Live)
			return err
		}
	}
	if c.UntilEOF {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		go func() {
			_, _ = io.Copy(io.Discard, s.Stdin)
			stop()
		}()
	}
	announce(log, engine.Traits(), roles, run, ops.at)
	err = logged(log, app.Run(ctx, run))
	if err == nil {
		log.Info("ended in order")
	}
	return err
}

// logged logs why a process ends that had begun to serve: its log is where people look. It exits with 1.
func logged(log *slog.Logger, err error) error {
	if err == nil {
		return nil
	}
	log.Error("ended", "error", err)
	return errors.Join(errBad, err)
}

func (c serveCmd) logger(to io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // it is one of the four
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level}))
}

// listen opens what the roles serve on.
func (c serveCmd) listen(roles roleSet) (run orders.Roles, err error) {
	open := func(flag, address string) net.Listener {
		if err != nil || address == "" {
			return nil
		}
		l, wrong := net.Listen("tcp", address)
		if wrong != nil {
			err = &queue.Error{Op: serveOp, Subject: flag + " " + address, Reason: queue.ErrInvalid, Detail: "it cannot listen there", Cause: wrong, Remedy: "name another address with " + flag}
			return nil
		}
		return l
	}
	if roles.api {
		run.API = open("--listen", c.Listen)
	}
	run.Live = open("--livez", c.Livez)
	if err != nil {
		_ = closeAll(run.API, run.Live)
	}
	return run, err
}

func closeAll(listeners ...net.Listener) (err error) {
	for _, l := range listeners {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return err
}
