package orders

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Config of the application. Gateway and Mail are required; other zero fields mean the default of their
// comments.
type Config struct {
	Gateway string // base URL of the payment gateway, such as http://127.0.0.1:8081
	Mail    string // host:port of the mail server
	From    string // receipts@shop.test; the sender of receipts, whose domain also names their Message-IDs

	KeyLife      time.Duration // 24 h; how long the gateway honours a key: no more than it promises
	ReceiptDoubt ledger.Doubt  // ledger.Park; or ledger.Resend: a receipt of which nobody can tell whether it was sent
	Jobs         jobs.Policy   // how patient the kinds are

	ReconcileEvery string        // "@every 1h"; when to compare the books, as package cron reads it
	Settling       time.Duration // 1 min; younger charges are left to the next comparison; negative: none is
	MaxCharges     int           // 200,000; of either side in one comparison

	// Enqueuer is put around whatever the application enqueues with: to count, or to trace. Nil: nothing is.
	Enqueuer   func(queue.Enqueuer) queue.Enqueuer
	Scheduling cron.Observer // told what the scheduler does; nil: nobody is

	Logger *slog.Logger     // slog's default
	Now    func() time.Time // time.Now; when orders are placed and receipts sent

	// For demonstrations and tests only.
	Faults        []Fault
	WithoutLedger bool // the control: effects are not recorded, and each attempt takes a fresh key
}

// complete fills in defaults. It fails with everything that is wrong at once.
func (c Config) complete() (Config, error) {
	var errs []error
	span := func(what string, d *time.Duration, byDefault time.Duration) {
		if *d < 0 {
			errs = append(errs, fmt.Errorf("%s is %s; give a positive duration, or 0 for %s", what, *d, byDefault))
		} else if *d == 0 {
			*d = byDefault
		}
	}
	span("KeyLife", &c.KeyLife, 24*time.Hour)
	errs = append(errs, c.Jobs.Check())
	if c.Settling == 0 {
		c.Settling = time.Minute
	}
	c.Settling = max(0, c.Settling)
	if c.MaxCharges < 0 {
		errs = append(errs, fmt.Errorf("MaxCharges is %d; give a positive number, or 0 for the default", c.MaxCharges))
	} else if c.MaxCharges == 0 {
		c.MaxCharges = 200_000
	}
	if c.ReceiptDoubt > ledger.Resend {
		errs = append(errs, fmt.Errorf("ReceiptDoubt is %d; give ledger.Park or ledger.Resend", c.ReceiptDoubt))
	}
	for _, f := range c.Faults {
		errs = append(errs, f.check())
	}
	if c.From == "" {
		c.From = "receipts@shop.test"
	}
	if c.ReconcileEvery == "" {
		c.ReconcileEvery = "@every 1h"
	}
	if _, err := cron.Parse(c.ReconcileEvery, ""); err != nil {
		errs = append(errs, err)
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, errors.Join(errs...)
}

// outside makes the clients of the systems outside; they do not connect yet.
func (c Config) outside() (*gateway.Client, *mailsink.Sender, error) {
	// No time-out of its own: every call has the job's. Connections are kept for as many jobs as run at once.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	pay, err := gateway.NewClient(c.Gateway, &http.Client{Transport: transport})
	mail, err2 := mailsink.NewSender(mailsink.SenderConfig{Addr: c.Mail, From: c.From})
	return pay, mail, errors.Join(err, err2)
}
