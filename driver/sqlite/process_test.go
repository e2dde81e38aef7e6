package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// order is what a test tells a rival: an engine in another process on the same file.
type order struct {
	Op   string
	Keys []string
	N    int
}

// reply is what came of it.
type reply struct {
	Statuses []queue.Status
	Keys     []string // leased, or done
	Tokens   []int64
	N        int
	Runs     int
	At       int64 // when it was done, in nanoseconds
	Err      string
}

type rivalConfig struct {
	SealAt int
	Ahead  time.Duration // of the host's clock
}

// rival obeys orders from its standard input.
func rival(path, word string, say func(any)) error {
	var c rivalConfig
	if err := json.Unmarshal([]byte(word), &c); err != nil {
		return err
	}
	var ahead atomic.Int64
	ahead.Store(int64(c.Ahead))
	e, err := Open(path, Config{sealAt: c.SealAt, Logger: silent, Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	if err != nil {
		return err
	}
	in := json.NewDecoder(os.Stdin)
	var leases []queue.Lease
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			return e.Close()
		}
		var r reply
		switch o.Op {
		case "enqueue", "enqueue in a transaction":
			var batch []queue.Job
			for _, k := range o.Keys {
				batch = append(batch, named(k))
			}
			var receipts []queue.Receipt
			if o.Op == "enqueue" {
				receipts, err = e.Enqueue(ctx, batch...)
			} else {
				err = inTx(e, func(tx *sql.Tx) (err error) { receipts, err = e.In(tx).Enqueue(ctx, batch...); return err })
			}
			for _, got := range receipts {
				r.Statuses = append(r.Statuses, got.Status)
			}
		case "claim":
			var got []queue.Lease
			got, err = e.Claim(ctx, request(o.N))
			leases = append(leases, got...)
			for _, l := range got {
				r.Keys, r.Tokens = append(r.Keys, l.Job.Key), append(r.Tokens, l.Token)
			}
		case "done":
			ends := make([]queue.Settlement, len(leases))
			for i, l := range leases {
				ends[i] = done(l)
			}
			_, err = e.Settle(ctx, ends...)
			leases = nil
		case "prune":
			r.N, err = e.Prune(ctx, 10_000)
		case "ahead":
			ahead.Store(int64(o.N) * int64(time.Minute))
		case "storm":
			r.Keys, r.N, err = storm(e, o.Keys)
		}
		e.ids.mu.RLock()
		r.Runs = len(e.ids.runs)
		e.ids.mu.RUnlock()
		r.At = time.Now().UnixNano()
		if err != nil {
			r.Err = err.Error()
		}
		say(r)
	}
}

// storm enqueues every key in an order of its own, by several producers, while it claims and ends what it can, until
// all that it claimed is done and there is no more. It gives the keys done here and how many were accepted here.
func storm(e *Engine, keys []string) (ended []string, accepted int, err error) {
	var mu sync.Mutex
	fail := func(e error) {
		mu.Lock()
		defer mu.Unlock()
		err = errors.Join(err, e)
	}
	var producers, workers sync.WaitGroup
	for range 4 {
		producers.Go(func() {
			mine := slices.Clone(keys)
			rand.Shuffle(len(mine), func(i, k int) { mine[i], mine[k] = mine[k], mine[i] })
			for part := range slices.Chunk(mine, 7) {
				var batch []queue.Job
				for _, k := range part {
					batch = append(batch, named(k))
				}
				receipts, err := e.Enqueue(ctx, batch...)
				if err != nil {
					fail(err)
					return
				}
				mu.Lock()
				for _, r := range receipts {
					if r.Status == queue.Accepted {
						accepted++
					}
				}
				mu.Unlock()
			}
		})
	}
	var produced atomic.Bool
	for range 3 {
		workers.Go(func() {
			for {
				last := produced.Load()
				leases, err := e.Claim(ctx, request(5, func(c *queue.Claim) { c.Wait = 10 * time.Millisecond }))
				if err != nil {
					fail(err)
					return
				}
				if len(leases) == 0 && last {
					return
				}
				ends := make([]queue.Settlement, len(leases))
				for i, l := range leases {
					ends[i] = done(l)
				}
				answers, err := e.Settle(ctx, ends...)
				if err = errors.Join(append(answers, err)...); err != nil {
					fail(err)
					return
				}
				mu.Lock()
				for _, l := range leases {
					ended = append(ended, l.Job.Key)
				}
				mu.Unlock()
			}
		})
	}
	producers.Wait()
	produced.Store(true)
	workers.Wait()
	return ended, accepted, err
}

func startRival(t *testing.T, path string, c rivalConfig) *process {
	t.Helper()
	word, err := json.Marshal(c)
	must(t, err)
	return start(t, "rival", path, string(word))
}

func (p *process) tell(t *testing.T, o order) {
	t.Helper()
	must(t, json.NewEncoder(p.in).Encode(o))
}

func (p *process) answer(t *testing.T) (r reply) {
	t.Helper()
	if !p.hear(&r) {
		t.Fatal("the other process has ended")
	}
	if r.Err != "" {
		t.Fatalf("in the other process: %s", r.Err)
	}
	return r
}

func (p *process) ask(t *testing.T, op string, keys ...string) reply {
	t.Helper()
	p.tell(t, order{Op: op, Keys: keys, N: 1000})
	return p.answer(t)
}

func allAre(t *testing.T, what string, got []queue.Status, n int, want queue.Status) {
	t.Helper()
	if len(got) != n {
		t.Fatalf("%s: %d answers, want %d", what, len(got), n)
	}
	for i, s := range got {
		if s != want {
			t.Fatalf("%s: job %d was %s, want %s", what, i, s, want)
		}
	}
}

func keysOf(all []queue.Job) (keys []string) {
	for _, j := range all {
		keys = append(keys, j.Key)
	}
	return keys
}

// The same ids from three processes and two handles at once, with workers in each, and their ids sealed by whoever has
// enough: one job each, done once.
func TestRivals(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e, beside := openAt(t, path, Config{sealAt: 64, Logger: silent}), openAt(t, path, Config{sealAt: 64, Logger: silent})
	keys := keysOf(jobs(0, part(1500, 400)))
	var rivals []*process
	for range 2 {
		rivals = append(rivals, startRival(t, path, rivalConfig{SealAt: 64}))
	}
	for _, p := range rivals {
		p.tell(t, order{Op: "storm", Keys: keys})
	}
	var accepted int
	times := map[string]int{}
	var mu sync.Mutex
	took := func(ended []string, n int, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Errorf("storm: %v", err)
		}
		accepted += n
		for _, k := range ended {
			times[k]++
		}
	}
	var all sync.WaitGroup
	for _, engine := range []*Engine{e, beside} {
		all.Go(func() { took(storm(engine, keys)) })
	}
	for _, p := range rivals {
		r := p.answer(t)
		took(r.Keys, r.N, nil)
	}
	all.Wait()
	took(storm(e, nil)) // what was left when the others stopped looking
	if accepted != len(keys) {
		t.Errorf("%d ids were accepted %d times", len(keys), accepted)
	}
	for _, k := range keys {
		if times[k] != 1 {
			t.Errorf("%s was done %d times", k, times[k])
		}
	}
	if b := balanced(t, e); b.Accepted != int64(len(keys)) || b.Found.Done != int64(len(keys)) {
		t.Errorf("%+v", b)
	}
	if len(e.ids.runs) < 2 {
		t.Errorf("only %d runs were sealed", len(e.ids.runs))
	}
	for _, p := range rivals {
		allAre(t, "all again, there", p.ask(t, "enqueue", keys...).Statuses, len(keys), queue.Duplicate)
	}
}

// Ids that one process has sealed are known to another: to one that was there, one that comes later, and one whose
// transactions are its own.
func TestSealedByAnother(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	const enough = 2000
	e := openAt(t, path, Config{sealAt: enough})
	p := startRival(t, path, rivalConfig{})
	allAre(t, "first", p.ask(t, "enqueue", "first").Statuses, 1, queue.Accepted)
	accept(t, e, jobs(0, enough)...)
	accept(t, e, jobs(enough, 500)...)
	if len(e.ids.runs) == 0 {
		t.Fatal("nothing was sealed")
	}
	late := startRival(t, path, rivalConfig{})
	for _, q := range []*process{p, late} {
		for _, op := range []string{"enqueue", "enqueue in a transaction"} {
			for _, from := range []int{0, enough / 2, enough} {
				keys := keysOf(jobs(from, 500))
				allAre(t, op, q.ask(t, op, keys...).Statuses, len(keys), queue.Duplicate)
			}
		}
	}
	if r := p.ask(t, "enqueue", "last"); r.Runs != 1 {
		t.Errorf("it knows %d runs", r.Runs)
	}
}

// A process that sealed, pruned, and sealed again: its runs must not be taken for those that another remembers, nor
// dropped by it.
func TestRunsDroppedByAnother(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var ahead atomic.Int64
	e := openAt(t, path, Config{sealAt: 50, Logger: silent, Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	p := startRival(t, path, rivalConfig{SealAt: 1000})
	// Two commits each time: the second seals the ids of the first.
	put := func(from int) (keys []string) {
		for _, n := range []int{55, 5} {
			accept(t, e, jobs(from, n)...)
			keys = append(keys, keysOf(jobs(from, n))...)
			from += n
		}
		return keys
	}
	alive := put(0)
	sealed := 0
	for round := range 7 {
		keys := put(1000 * (round + 1))
		allAre(t, "there", p.ask(t, "enqueue", keys...).Statuses, len(keys), queue.Duplicate)
		// Everything but what stays alive ends, and is forgotten: by this process, or by the other.
		ends := []queue.Settlement{}
		for _, l := range claim(t, e, 1000) {
			end := done(l)
			if slices.Contains(alive, l.Job.Key) {
				end = failed(l)
			}
			ends = append(ends, end)
		}
		settle(t, e, ends...)
		ahead.Add(int64(25 * time.Hour))
		p.tell(t, order{Op: "ahead", N: int(ahead.Load() / int64(time.Minute))})
		p.answer(t)
		pruned := 0
		if round%2 == 0 {
			n, err := e.Prune(ctx, 1000)
			must(t, err)
			pruned = n
		} else {
			pruned = p.ask(t, "prune").N
		}
		if pruned != len(ends)-len(alive) {
			t.Fatalf("pruned %d of %d", pruned, len(ends)-len(alive))
		}
		allAre(t, "forgotten", p.ask(t, "enqueue", keys[:3]...).Statuses, 3, queue.Accepted)
		var last int
		must(t, e.DB().QueryRow("SELECT max(run) FROM twice_run").Scan(&last))
		if last <= sealed {
			t.Fatalf("a run got the number %d again", last)
		}
		sealed = last
	}
	alive = append(alive, put(9000)...)
	allAre(t, "in the other", p.ask(t, "enqueue", alive...).Statuses, len(alive), queue.Duplicate)
	for _, key := range alive {
		if got, err := e.Enqueue(ctx, named(key)); err != nil || got[0].Status != queue.Duplicate {
			t.Fatalf("%s: %v, %v", key, got, err)
		}
	}
	// What was dropped is let go of by everybody.
	var there int
	must(t, e.DB().QueryRow("SELECT count(*) FROM twice_run").Scan(&there))
	t.Logf("%d runs, the last with the number %d", there, sealed)
	if r := p.ask(t, "enqueue", "last"); r.Runs > there {
		t.Errorf("the other holds %d runs of %d", r.Runs, there)
	}
	late := openAt(t, path, Config{sealAt: 50})
	for _, key := range alive {
		if got, err := late.Enqueue(ctx, named(key)); err != nil || got[0].Status != queue.Duplicate {
			t.Fatalf("%s, opened anew: %v, %v", key, got, err)
		}
	}
	balanced(t, e)
}

// A token only rises, also when the row was pruned by one process and made again by another.
func TestTokenFloor(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var ahead atomic.Int64
	e := openAt(t, path, Config{Logger: silent, Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	p := startRival(t, path, rivalConfig{})
	high := int64(0)
	for round := range 3 {
		p.ask(t, "enqueue", "a", fmt.Sprint("b", round))
		for range 5 {
			for _, l := range claim(t, e, 10) {
				high = max(high, l.Token)
				settle(t, e, failed(l))
			}
		}
		if n := drain(t, e); n != 2 {
			t.Fatalf("drained %d", n)
		}
		ahead.Add(int64(25 * time.Hour))
		if n, err := e.Prune(ctx, 10); n != 2 || err != nil {
			t.Fatalf("pruned %d, %v", n, err)
		}
		p.tell(t, order{Op: "ahead", N: int(ahead.Load() / int64(time.Minute))})
		p.answer(t)
		allAre(t, "again", p.ask(t, "enqueue", "a").Statuses, 1, queue.Accepted)
		r := p.ask(t, "claim")
		if len(r.Tokens) != 1 || r.Tokens[0] <= high+1 { // the last claim of drain was one more
			t.Fatalf("token %v after %d", r.Tokens, high+1)
		}
		high = r.Tokens[0]
		p.ask(t, "done")
		ahead.Add(int64(25 * time.Hour))
		p.tell(t, order{Op: "ahead", N: int(ahead.Load() / int64(time.Minute))})
		p.answer(t)
		if r := p.ask(t, "prune"); r.N != 1 {
			t.Fatalf("the other pruned %d", r.N)
		}
	}
	// The newest row of all is gone, and no row gets its seq again: others remember how far they have looked.
	seq := func() (n int64) {
		must(t, e.DB().QueryRow("SELECT seq FROM twice_job ORDER BY seq DESC LIMIT 1").Scan(&n))
		return n
	}
	accept(t, e, named("y"))
	last := seq()
	drain(t, e)
	ahead.Add(int64(25 * time.Hour))
	if n, err := e.Prune(ctx, 10); n < 1 || err != nil {
		t.Fatalf("pruned %d, %v", n, err)
	}
	late := openAt(t, path, Config{Logger: silent})
	accept(t, late, named("z"))
	if seq() <= last {
		t.Errorf("seq %d after %d", seq(), last)
	}
	if got := p.ask(t, "enqueue", "z"); got.Statuses[0] != queue.Duplicate {
		t.Errorf("%v", got)
	}
	balanced(t, e)
}

// Processes that open a new file at once.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	for range 3 {
		path := newPath(t)
		var all []*process
		for i := range 4 {
			all = append(all, start(t, "open", path, fmt.Sprint(i)))
		}
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				e, err := Open(path, Config{})
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				defer e.Close()
				if _, err := e.Enqueue(ctx, named(fmt.Sprint("here ", i))); err != nil {
					t.Errorf("enqueue: %v", err)
				}
			})
		}
		wait.Wait()
		for _, p := range all {
			var o opening
			if !p.hear(&o) || o.Enqueue != "ok" {
				t.Errorf("another process: %+v", o)
			}
		}
		if b := balanced(t, openAt(t, path, Config{})); b.Accepted != 8 {
			t.Errorf("%+v", b)
		}
	}
}

// An enqueue by another process wakes a claim that waits, long before it would look by itself, which is after five
// seconds; and so does a transaction of the application.
func TestWakeAcrossProcesses(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e := openAt(t, path, Config{})
	p := startRival(t, path, rivalConfig{})
	for _, op := range []string{"enqueue", "enqueue in a transaction", "a transaction here"} {
		var delays []time.Duration
		for i := range 10 {
			woken := make(chan time.Time, 1)
			go func() {
				leases, err := e.Claim(ctx, request(1, func(c *queue.Claim) { c.Wait = 30 * time.Second }))
				if err != nil || len(leases) != 1 {
					t.Errorf("%d leases, %v", len(leases), err)
				} else if answers, err := e.Settle(ctx, done(leases[0])); err != nil || answers[0] != nil {
					t.Errorf("%v, %v", answers, err)
				}
				woken <- time.Now()
			}()
			eventually(t, "the claim sleeps", func() bool { e.wake.mu.Lock(); defer e.wake.mu.Unlock(); return e.wake.asleep == 1 })
			key := fmt.Sprint(op, i)
			var at time.Time
			if op == "a transaction here" {
				must(t, inTx(e, func(tx *sql.Tx) error { return enqueueIn(e, tx, named(key)) }))
				at = time.Now()
			} else {
				at = time.Unix(0, p.ask(t, op, key).At)
			}
			delays = append(delays, (<-woken).Sub(at))
		}
		slices.Sort(delays)
		t.Logf("%s: woken, and the job done, after %s in the middle, %s at most", op, delays[5], delays[9])
		if delays[9] > 2*time.Second {
			t.Errorf("%s: woken after %s", op, delays[9])
		}
	}
}

// Where no file can be watched, claims look often enough.
func TestWakeWithoutEvents(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e, other := openAt(t, path, Config{}), openAt(t, path, Config{})
	e.wake.mu.Lock()
	e.wake.path = filepath.Join(filepath.Dir(path), "not there")
	e.wake.mu.Unlock()
	woken := make(chan time.Time, 1)
	go func() {
		if leases, err := e.Claim(ctx, request(1, func(c *queue.Claim) { c.Wait = 30 * time.Second })); err != nil || len(leases) != 1 {
			t.Errorf("%d leases, %v", len(leases), err)
		}
		woken <- time.Now()
	}()
	eventually(t, "the claim sleeps", func() bool { e.wake.mu.Lock(); defer e.wake.mu.Unlock(); return e.wake.asleep == 1 })
	accept(t, other, named("a"))
	at := time.Now()
	if late := (<-woken).Sub(at); late > 2*time.Second {
		t.Errorf("woken after %s", late)
	}
}

// While a lone job is leased, another that waits for it makes nobody spin; and it is leased soon after.
func TestLoneWaits(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	e := open(t, Config{Logger: silent, Now: func() time.Time { looks.Add(1); return time.Now() }})
	accept(t, e, named("a"), named("b"))
	for _, l := range claim(t, e, 2) {
		suspect := failed(l)
		suspect.Lone = true
		settle(t, e, suspect)
	}
	alone := func(c *queue.Claim) { c.Lone = true }
	first := take(t, e, alone)
	began := looks.Load()
	stop, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if got, err := e.Claim(stop, request(1, alone, func(c *queue.Claim) { c.Wait = time.Minute })); len(got) != 0 || err != nil {
		t.Fatalf("%d leases, %v", len(got), err)
	}
	if n := looks.Load() - began; n > 150 {
		t.Errorf("a lone claim that waits looked %d times in 300 ms", n)
	}
	got := make(chan int, 1)
	go func() {
		leases, err := e.Claim(ctx, request(1, alone, func(c *queue.Claim) { c.Wait = 30 * time.Second }))
		if err != nil {
			t.Errorf("claim: %v", err)
		}
		got <- len(leases)
	}()
	eventually(t, "the claim sleeps", func() bool { e.wake.mu.Lock(); defer e.wake.mu.Unlock(); return e.wake.asleep == 1 })
	at := time.Now()
	settle(t, e, done(first))
	if n := <-got; n != 1 || time.Since(at) > 2*time.Second {
		t.Errorf("%d leases after %s", n, time.Since(at))
	}
}

// A suspect at the head of the line does not hide those behind it.
func TestSuspectsLeaveTheLine(t *testing.T) {
	t.Parallel()
	clock := newHost()
	e := open(t, Config{Logger: silent, Now: clock.now})
	accept(t, e, named("killer"))
	one := func(c *queue.Claim) { c.Max, c.CrashCaps = 1, map[string]int{testKind: 2} }
	take(t, e, one)
	lapse(t, e, clock)
	accept(t, e, named("good"))
	if l := take(t, e, one); l.Job.Key != "good" {
		t.Errorf("leased %s", l.Job.Key)
	}
	if r, err := e.Job(ctx, idOfKey("killer")); err != nil || !r.Lone || r.State != queue.Queued {
		t.Errorf("%+v, %v", r, err)
	}
}
