package proof

import (
	"context"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// redrive sends the dead job back, as a person does.
func (t *trial) redrive() {
	if t.record().State != queue.Dead {
		t.missed = true
		return
	}
	t.cut("", "a person redrives the job")
	t.sendBack()
}

func (t *trial) sendBack() {
	operator, err := queue.Need[queue.Operator](t.engine, "redrive")
	t.must("redrive", err)
	errs, err := operator.Redrive(context.Background(), person, t.job.ID)
	t.must("redrive", err)
	t.must("redrive", errs[0])
}

var person = queue.Actor{Name: "proof", Why: "the schedule says so"}

// reap lets all be forgotten.
func (t *trial) reap() {
	if r := t.record(); t.reaped || !r.State.Ended() || r.State == queue.Dead {
		t.missed = true // what has not ended is not forgotten
		return
	}
	keep := t.engine.Traits().KeepFor
	if keep == 0 {
		keep = ledger.KeepFor
	}
	t.cut("", "%d days pass: the engine forgets the job, and the ledger its effects", int((keep+horizonOver)/(24*time.Hour)))
	t.clock.move(keep + horizonOver)
	_, err := ledger.Reap(context.Background(), t.engine, t.store, ledger.Reaping{Now: t.clock.now(), KeepFor: keep})
	t.must("reap", err)
	t.reaped = true
}

const horizonOver = 24 * time.Hour

// again makes the same request again. It says when it was first made, so once that is forgotten it must be refused.
func (t *trial) again() {
	receipts, err := t.engine.Enqueue(context.Background(), t.job)
	t.must("enqueue again", err)
	t.cut("", "the same request comes again, with its origin: the engine says %s", receipts[0].Status)
	if receipts[0].Status == queue.Accepted {
		t.fail("This is a fault of the engine (promise 9).", "a request at or before the mark was accepted")
	}
}

// origin says when the request is made.
func (t *trial) origin() twice.Option { return twice.From(t.clock.now()) }
