package demo

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/twicehq/twice/ledger"
)

// Config of a demo. Binary and Dir are required; other zero fields mean the default of their comments.
type Config struct {
	Binary string // the program whose `serve` the processes run
	Dir    string // an empty folder for logs and, unless Engine names another, the database
	Engine string // sqlite:PATH of a store that holds no job yet; a file in Dir
	Seed   uint64 // 0: amounts, customers, and in which order things are delivered again
	Orders int    // 500; how many are placed while there is no worker

	// WithoutLedger takes the ledger away from the world in which all must hold: to see the demo fail.
	WithoutLedger bool
	// ReceiptDoubt is ledger.Park; or ledger.Resend: to see the scene about a receipt in doubt fail.
	ReceiptDoubt ledger.Doubt

	// Admin lets the API's process show its dashboard, too: for a demo that is left running.
	Admin bool

	// Begins and Ends, where given, are told of each scene in its turn, by one goroutine at a time.
	Begins func(n int, title string)
	Ends   func(n int, claim Claim)

	Logger *slog.Logger // of the demo's own part in the world; slog's default
}

// What the demo sets shorter than one would, so that it need not wait for minutes.
const (
	Lease       = 2 * time.Second // 30 s by default
	maxFailures = 3               // 8 by default
	backoff     = 100 * time.Millisecond
	crashCap    = 3 // the default
)

// Limits of time: of all scenes together, of one, and of ending a process in order.
const (
	deadline   = 57 * time.Second
	sceneLimit = 32 * time.Second
	grace      = 5 * time.Second
)

// The number of customers' requests, and of deliveries, under way at once; and the slots of a worker.
const (
	clients = 16
	slots   = 10
)

func (c Config) complete() Config {
	c.Orders = cmp.Or(c.Orders, 500)
	if c.Begins == nil {
		c.Begins = func(int, string) {}
	}
	if c.Ends == nil {
		c.Ends = func(int, Claim) {}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}
