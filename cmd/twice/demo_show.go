package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/twicehq/twice/examples/orders/demo"
)

// demoShow tells of a demo as it goes on, in lines of at most width characters; with --json it says nothing.
type demoShow struct {
	s     *session
	width int
	bar   *progress
	err   error // the first write that failed
}

func (w *demoShow) say(format string, args ...any) {
	if w.err == nil && !w.s.json {
		w.err = w.s.say(format, args...)
	}
}

// opening says what is shown, and what is other than it would be in production.
func (w *demoShow) opening(facts demo.Report, unguarded bool) {
	w.say("%s", w.s.paint(bold, "twice demo: run any job twice; the world changes once"))
	w.say("")
	w.wrapped("", "A shop, run for real on this machine: an orders API and its workers, each a process of its own; a payment gateway (HTTP) and a mail server (SMTP) are outside. Each order makes two jobs: charge it, then mail its receipt.")
	w.say("")
	w.wrapped("engine   ", plain(facts.Engine)+": "+plain(facts.Durability))
	w.wrapped("tables   ", plain(facts.Tables))
	w.wrapped("shorter  ", fmt.Sprintf("than by default, so that you need not wait: leases last %.0fs (30s), a job may fail %d times (8), the first retry comes after %.1fs (1s)", facts.LeaseSeconds, facts.MaxFailures, facts.BackoffSeconds))
	w.wrapped("seed     ", fmt.Sprint(facts.Seed))
	if unguarded {
		w.say("%s", w.s.paint(yellowInk, "The ledger is taken away (--without-ledger): some claims must fail now."))
	}
	w.say("")
}

func (w *demoShow) begins(n int, title string) {
	if !w.s.json {
		w.bar = w.s.progress(fmt.Sprintf("%2d  %s", n, title), 0)
	}
}

func (w *demoShow) ends(n int, c demo.Claim) {
	w.stop()
	verdict, colour := "✓ holds", greenInk
	if !c.Holds {
		verdict, colour = "✗ does not hold", redInk
	}
	took := fmt.Sprintf("%5.1fs", c.Seconds)
	title := fmt.Sprintf("%2d  %s", n, c.Title)
	gap := max(2, w.width-utf8.RuneCountInString(title)-utf8.RuneCountInString(verdict)-len(took)-2)
	w.say("%s%s%s  %s", w.s.paint(bold, title), strings.Repeat(" ", gap), w.s.paint(colour, verdict), took)
	w.wrapped("    did  ", c.Did)
	w.wrapped("    saw  ", c.Saw)
	for _, check := range c.Checks {
		if !check.Holds {
			w.wrapped("    "+w.s.paint(redInk, "✗")+"    ", failed(check))
		}
	}
	w.say("")
}

// failed says what is not as it had to be.
func failed(c demo.Check) string {
	if c.Want != "" {
		return fmt.Sprintf("%s: %s, must be %s", c.What, c.Saw, c.Want)
	}
	return fmt.Sprintf("not so: %s; seen: %s", c.What, c.Saw)
}

// stop ends the progress bar, if one shows.
func (w *demoShow) stop() {
	if w.bar != nil {
		w.bar.end()
		w.bar = nil
	}
}

func (w *demoShow) closing(report demo.Report) {
	checks, bad := 0, 0
	for _, c := range report.Claims {
		checks += len(c.Checks)
		if !c.Holds {
			bad++
		}
	}
	if report.Holds {
		w.say("%s", w.s.paint(greenInk, fmt.Sprintf("✓ All %d claims hold: %d checks, in %.0fs.", len(report.Claims), checks, report.Seconds)))
		return
	}
	w.say("%s", w.s.paint(redInk, fmt.Sprintf("✗ %d of %d claims do not hold, in %.0fs.", bad, len(report.Claims), report.Seconds)))
}

// kept says what is left running, and how to end it.
func (w *demoShow) kept(k keptView) {
	w.say("")
	w.say("Left running:")
	t := newTable("WHAT", ">PID", "WHERE")
	var engine, api, bank, mails, board string
	for _, p := range k.Places {
		pid := "-"
		if p.PID != 0 {
			pid = fmt.Sprint(p.PID)
		}
		switch p.Name {
		case "engine":
			engine = p.At
		case "api":
			api = p.At
		case "dashboard":
			board = p.At
		case "gateway":
			bank = p.At
		case "mail":
			mails = p.At
		}
		t.row(plain(p.Name), pid, plain(cmp.Or(p.At, p.Log)))
	}
	if w.err == nil {
		w.err = t.print(w.s)
	}
	w.say("")
	w.say("In another terminal:")
	w.say("Place an order:  curl --json '%s' %s/orders", `{"reference":"mine-1","customer":"me@shop.test","amount_cents":999,"currency":"EUR"}`, plain(api))
	if board != "" {
		w.say("Look around:     %s in a browser", plain(board))
	}
	w.say("                 twice top --engine %s", plain(engine))
	w.say("                 curl %s/mails, curl %s/charges", plain(mails), plain(bank))
	w.say("End it all:      Ctrl-C here, or kill -TERM %d; then rm -r %s", os.Getpid(), plain(k.Folder))
}

// wrapped says a text after a lead, in lines that go on below its beginning.
func (w *demoShow) wrapped(lead, text string) {
	for _, line := range folded(lead, text, w.width) {
		w.say("%s", line)
	}
}
