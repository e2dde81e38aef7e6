package demo

import (
	"context"
	"time"

	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/queue"
)

// drained starts two worker processes, which find the backlog. Its queue is paused until both are there, so
// that the first does not do it all before the second is up.
func drained(ctx context.Context, d *Demo, r *record) error {
	w := d.world
	r.did("started two worker processes with %d slots each on the same queue; it was paused until both were up", slots)
	pauser, err := queue.Need[queue.Pauser](w.engine, "demo")
	if err != nil {
		return err
	}
	by := queue.Actor{Name: "demo", Why: "two workers are to begin at once"}
	if err := pauser.Pause(ctx, by, jobs.PaymentsQueue); err != nil {
		return err
	}
	if err := w.hire(ctx, "worker-1", "worker-2"); err != nil {
		return err
	}
	began := time.Now()
	if err := pauser.Resume(ctx, by, jobs.PaymentsQueue); err != nil {
		return err
	}
	if err := w.drained(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	s, err := w.see(ctx)
	if err != nil {
		return err
	}
	var shares [2]int
	for i, p := range w.workers {
		if shares[i], err = p.log.count(0, func(l line) bool { return l.Message == "attempt ended" && l.Outcome == "done" }); err != nil {
			return err
		}
	}
	n := len(d.first)
	charges, mails, notOne := s.effects(d.first)
	r.saw("%s jobs done in %s, %s by one and %s by the other; %s charges, %s mails, one of each for %s of %s orders", commas(s.Jobs.Done), short(took),
		commas(shares[0]), commas(shares[1]), commas(charges), commas(mails), commas(n-notOne), commas(n))
	r.equal("jobs done: a charge and a receipt for each order", int(s.Jobs.Done), 2*n)
	r.equal("dead jobs", int(s.Jobs.Dead), 0)
	r.equal("orders without exactly one charge and one mail", notOne, 0)
	r.equal("charges on the gateway's own list", len(s.Charges), n)
	r.equal("mails that the mail server took", len(s.Mails), n)
	r.check(shares[0] > 0 && shares[1] > 0, "both workers took part", "%d and %d jobs", shares[0], shares[1])
	r.figure("jobs_done", s.Jobs.Done)
	r.figure("seconds_to_drain", round(took.Seconds()))
	r.figure("jobs_per_second", round(float64(s.Jobs.Done)/took.Seconds()))
	r.figure("charges", charges)
	r.figure("mails", mails)
	r.figure("shares", shares)
	return nil
}
