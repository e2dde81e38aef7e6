package main

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// roleSet is what a process runs.
type roleSet struct{ api, worker, scheduler, admin bool }

func (r roleSet) names() (names []string) {
	for _, role := range []struct {
		on   bool
		name string
	}{{r.api, "api"}, {r.worker, "worker"}, {r.scheduler, "scheduler"}, {r.admin, "admin"}} {
		if role.on {
			names = append(names, role.name)
		}
	}
	return names
}

// What a process without workers is given for the systems outside: it calls neither.
const nowhereURL, nowhereMail = "http://nowhere.invalid", "nowhere.invalid:25"

// plan reads the flags. It fails with everything that is wrong with them at once.
func (c serveCmd) plan() (roles roleSet, cfg orders.Config, err error) {
	var found queue.Problems
	wrong := func(detail, remedy string) {
		found = append(found, &queue.Error{Op: serveOp, Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	for _, name := range c.Role {
		switch strings.TrimSpace(name) {
		case "all":
			roles = roleSet{true, true, true, true}
		case "api":
			roles.api = true
		case "worker":
			roles.worker = true
		case "scheduler":
			roles.scheduler = true
		case "admin":
			roles.admin = true
		default:
			wrong(fmt.Sprintf("--role is %.40q", name), "name all, or any of api, worker, scheduler, admin")
		}
	}
	cfg = orders.Config{Gateway: c.Gateway, Mail: c.Mail, From: c.From, ReconcileEvery: c.Reconcile, Settling: c.Settling, WithoutLedger: c.WithoutLedger}
	cfg.Jobs = jobs.Policy{MaxFailures: c.MaxFailures, BackoffBase: c.Backoff}
	if c.ReceiptDoubt == "resend" {
		cfg.ReceiptDoubt = ledger.Resend
	}
	if cfg.Settling == 0 {
		cfg.Settling = -1 // none
	}
	if roles.worker || c.Lone {
		if _, err := gateway.NewClient(c.Gateway, nil); err != nil {
			wrong("--gateway is not the URL of a payment gateway, which workers need", "give one such as http://127.0.0.1:8081")
		}
		if _, err := mailsink.NewSender(mailsink.SenderConfig{Addr: c.Mail, From: c.From}); err != nil {
			wrong("workers need a mail server and a sender: "+err.Error(), "give --mail HOST:PORT, such as 127.0.0.1:2525, and --from an address")
		}
	} else {
		cfg.Gateway, cfg.Mail = nowhereURL, nowhereMail
	}
	for flag, n := range map[string]int64{"--concurrency": int64(c.Concurrency), "--lease": int64(c.Lease), "--grace": int64(c.Grace), "--max-failures": int64(c.MaxFailures), "--backoff": int64(c.Backoff)} {
		if n <= 0 {
			wrong(flag+" is not above zero", "leave it out for the default")
		}
	}
	if _, err := cron.Parse(c.Reconcile, ""); err != nil {
		wrong("--reconcile: "+err.Error(), `write it as in "@every 1h"`)
	}
	if c.Settling < 0 {
		wrong("--settling is below zero", "give 0 to compare everything")
	}
	for _, text := range c.Fault {
		fault, err := orders.ParseFault(text)
		if err != nil {
			wrong(err.Error(), "write it so, or leave it out: it is for demonstrations")
		}
		cfg.Faults = append(cfg.Faults, fault)
	}
	if len(found) > 0 {
		slices.SortFunc(found, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return roles, cfg, &queue.Error{Op: serveOp, Reason: queue.ErrInvalid, Cause: found}
	}
	return roles, cfg, nil
}

// worker is how this process works. A suspect runs in a child: this program with the same arguments, and
// the lease through a pipe.
func (c serveCmd) worker(s *session) worker.Config {
	return worker.Config{
		Name: c.Name, Concurrency: c.Concurrency, Lease: c.Lease, Grace: c.Grace,
		Lone: &worker.Lone{Args: append(slices.Clone(s.Args), "--lone")},
	}
}

// announce says in the log what runs where, and what the engine promises.
func announce(log *slog.Logger, t queue.Traits, roles roleSet, run orders.Roles, admin string) {
	log.Info("engine opened", "engine", t.Name, "durability", t.Durability, "durable", t.Durable,
		"knows_ids_for", t.UniqueFor.String(), "keeps_effects_for", t.KeepFor.String(), "max_payload_bytes", t.MaxPayload)
	attrs := []any{"roles", strings.Join(roles.names(), ","), "pid", os.Getpid()}
	if run.API != nil {
		attrs = append(attrs, "api", run.API.Addr().String())
	}
	if run.Live != nil {
		attrs = append(attrs, "livez", run.Live.Addr().String())
	}
	if admin != "" {
		attrs = append(attrs, "admin", admin)
	}
	log.Info("serving", attrs...)
}
