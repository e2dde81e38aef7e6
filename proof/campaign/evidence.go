package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// evidence is all that a campaign has to be judged by, gathered after its worker processes have ended.
type evidence struct {
	accepted map[queue.ID]int // number by id
	jobs     map[queue.ID]judged
	told     map[queue.ID]*story
	rows     map[queue.ID]int            // rows by job
	charges  map[queue.ID]int            // charges by job, whatever their keys
	mails    map[queue.ID]int            // mails by job
	amounts  map[string]int              // number of the charge, by key
	books    []queue.Books               // by scan
	depth    queue.Depth                 // as counted
	wrong    []string                    // receipts
	attack   struct{ planned, made int } // strikes
	redriven struct{ planned, made int } // jobs
	kept     []string                    // what workers did not give back
	struck   map[string]bool             // processes that the attack struck
	poison   map[queue.ID]Do             // jobs that must end by a cap
	caps     struct{ failures, crashes int }
	company  int  // other jobs that began in the process of a suspect
	fenced   bool // one lease at a time is promised
}

// judged is a job as store and ledger have it; unknown: the store does not know it.
type judged struct {
	unknown bool
	record  queue.Record
	charge  ledger.Entry
}

func (f *Field) evidence(ctx context.Context) (*evidence, error) {
	e := &evidence{accepted: f.world.accepted, told: f.world.told, wrong: f.world.wrong, company: f.Count(Company), struck: f.world.struck, poison: f.world.poison,
		rows: map[queue.ID]int{}, charges: map[queue.ID]int{}, mails: map[queue.ID]int{}, fenced: f.Store.Engine.Traits().Fences}
	e.caps.failures, e.caps.crashes = f.cfg.MaxFailures, f.cfg.MaxCrashes
	amounts, _, mails := f.Remote.book()
	e.amounts = amounts
	for key := range amounts {
		id, _, _ := splitKey(key)
		e.charges[id]++
	}
	for key, n := range mails {
		id, _, _ := splitKey(key)
		e.mails[id] += n
	}
	if err := f.Store.Data.Rows(ctx, func(r Row) { e.rows[r.Job]++ }); err != nil {
		return nil, err
	}
	auditor, err := queue.Need[queue.Auditor](f.Store.Engine, "campaign")
	if err != nil {
		return nil, err
	}
	if e.books, err = auditor.Audit(ctx); err != nil {
		return nil, err
	}
	look, err := queue.Need[queue.Inspector](f.Store.Engine, "campaign")
	if err != nil {
		return nil, err
	}
	depths, err := look.Depths(ctx, Queue)
	if err != nil {
		return nil, err
	}
	if len(depths) == 1 {
		e.depth = depths[0]
	}
	e.jobs, err = f.judge(ctx, look)
	return e, err
}

// judge looks every accepted job up.
func (f *Field) judge(ctx context.Context, look queue.Inspector) (map[queue.ID]judged, error) {
	jobs := make(map[queue.ID]judged, len(f.world.accepted))
	ids := make(chan queue.ID)
	var mu sync.Mutex
	var failed error
	var lookers sync.WaitGroup
	for range 4 {
		lookers.Go(func() {
			for id := range ids {
				j, err := f.look(ctx, look, id)
				mu.Lock()
				jobs[id] = j
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	for id := range f.world.accepted {
		ids <- id
	}
	close(ids)
	lookers.Wait()
	return jobs, failed
}

func (f *Field) look(ctx context.Context, look queue.Inspector, id queue.ID) (j judged, err error) {
	if j.record, err = look.Job(ctx, id); errors.Is(err, queue.ErrNotFound) {
		return judged{unknown: true}, nil
	}
	if err != nil {
		return j, err
	}
	entries, err := f.Store.Ledger.Entries(ctx, id)
	for _, e := range entries {
		if e.Key.Step == stepCharge {
			j.charge = e
		}
	}
	return j, err
}

// recorded gives the number that the ledger has of the job's charge; 0: none.
func (j judged) recorded() int {
	var m made
	if j.charge.State != ledger.Confirmed || json.Unmarshal(j.charge.Result, &m) != nil {
		return 0
	}
	return m.N
}
