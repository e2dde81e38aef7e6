package demo

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// frozen stops a worker inside its call of the gateway for longer than its lease, lets others have the
// job, and lets it go on as if nothing had happened.
func frozen(ctx context.Context, d *Demo, r *record) error {
	const meanwhile = 20
	w := d.world
	victim, held, _, err := w.holdAfterCharge(ctx, names("freeze", 1))
	if err != nil {
		return err
	}
	o, mark := held[0], victim.log.mark()
	froze, tries, err := w.freeze(ctx, victim)
	defer func() { _ = thaw(victim.living()) }()
	if err != nil {
		return err
	}
	others, a, err := w.shop.place(ctx, names("meanwhile", meanwhile)...)
	if err != nil {
		return err
	}
	if err := w.sent(ctx, "the orders placed meanwhile are done", others...); err != nil {
		return err
	}
	othersTook := time.Since(froze)
	if err := w.sent(ctx, "another worker has done the frozen one's order", o); err != nil {
		return err
	}
	if err := until(ctx, "its lease ran out long ago", func() (bool, error) { return time.Since(froze) > Lease*3/2, nil }); err != nil {
		return err
	}
	before, err := w.see(ctx)
	if err != nil {
		return err
	}
	w.settle(ctx) // the answer it waits for is on its way, before it wakes
	lasted := time.Since(froze)
	if err := thaw(victim.living()); err != nil {
		return err
	}
	r.did("froze %s with SIGSTOP while it waited for the gateway; after %s, its lease being %s, let the gateway answer and thawed it with SIGCONT", victim.name, short(lasted), Lease)
	told, err := victim.log.await(ctx, mark, "the thawed worker's log says that its lease is lost", func(l line) bool {
		return l.Message == "lease lost" && isCharge(l, held) && l.Attempt == 1
	})
	if err != nil {
		return err
	}
	ended, err := victim.log.await(ctx, mark, "the thawed worker's attempt has ended", func(l line) bool {
		return l.Message == "attempt ended" && isCharge(l, held) && l.Attempt == 1
	})
	if err != nil {
		return err
	}
	if err := w.drained(ctx); err != nil {
		return err
	}
	after, err := w.see(ctx)
	if err != nil {
		return err
	}
	r.saw("another worker had done the job; the thawed one's own log, of its attempt %d: %q. After it woke: rows %s; the order has %d charge and %d mail. %d other orders, placed meanwhile, were done in %s",
		told.Attempt, refusal(told), change(before.rows(), after.rows()), after.chargesOf(o), after.mailsTo(o), len(others), short(othersTook))
	r.check(lasted > Lease, "it was frozen past its lease", "%s", short(lasted))
	r.check(told.Job == o.charge().String(), "its log names the job whose lease is lost", "%s", told.Text)
	if w.box == nil { // elsewhere the handler finds everything recorded, and its report is what is refused
		r.check(ended.Error != "" && ended.Outcome != "done", "its attempt did not count as done", "outcome %q, error %q", ended.Outcome, ended.Error)
	}
	r.equal("charges of the order", after.chargesOf(o), 1)
	r.equal("mails of the order", after.mailsTo(o), 1)
	r.check(before.Jobs == after.Jobs && before.rows() == after.rows(), "the thawed worker changed nothing", "rows %s", change(before.rows(), after.rows()))
	r.equal("orders placed meanwhile", a.Created, meanwhile)
	r.figure("frozen_seconds", round(lasted.Seconds()))
	r.figure("lease_seconds", Lease.Seconds())
	r.figure("freezes_until_it_held_no_lock", tries)
	call, _, _ := strings.Cut(told.Error, " ")
	r.figure("refused_call", call)
	r.figure("log", told.Text)
	r.figure("meanwhile_seconds", round(othersTook.Seconds()))
	return nil
}

// refusal gives the error of a line without the job's id: the call that was refused, and why. It is the first
// that the worker made: a heartbeat (extend), or its report (settle); after it the worker makes none.
func refusal(l line) string {
	return strings.Replace(l.Error, " "+l.Job, "", 1)
}

// freeze freezes a process at a moment when it does not hold the file's one write lock, as it does for a
// few milliseconds in each second: that would hold up everybody, which is another scene. It gives how
// often it tried.
func (w *world) freeze(ctx context.Context, p *process) (at time.Time, tries int, err error) {
	for tries = 1; ctx.Err() == nil && tries <= 20; tries++ {
		at = time.Now()
		if err := freeze(p.living()); err != nil {
			return at, tries, err
		}
		ping, cancel := context.WithTimeout(ctx, 400*time.Millisecond)
		err = w.engine.Ping(ping)
		cancel()
		if err == nil {
			return at, tries, nil
		}
		if err := thaw(p.living()); err != nil {
			return at, tries, err
		}
		time.Sleep(30 * time.Millisecond)
	}
	return at, tries, fmt.Errorf("freeze %s: it held the file's lock each time: %w", p.name, err)
}
