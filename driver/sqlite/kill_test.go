package sqlite

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

var killsFlag = flag.Int("kills", 20, "processes killed under load")

// load enqueues, claims and ends jobs at full speed, and says each thing after it was told it.
func load(path, word string, say func(any)) error {
	var seal int
	if err := json.Unmarshal([]byte(word), &seal); err != nil {
		return err
	}
	e, err := Open(path, Config{sealAt: seal, Logger: silent})
	if err != nil {
		return err
	}
	failures := make(chan error, 16)
	life := rand.Uint64()
	for p := range 8 {
		go func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%x-%d-%d", life, p, i)
				got, err := e.Enqueue(ctx, named(key))
				if err != nil || got[0].Status != queue.Accepted {
					failures <- fmt.Errorf("enqueue: %v, %w", got, err)
					return
				}
				say(event{Key: key})
			}
		}()
	}
	for range 4 {
		go func() {
			var ends []queue.Settlement
			for {
				answers, leases, err := e.Exchange(ctx, ends, request(20))
				if err != nil {
					failures <- err
					return
				}
				for i, a := range answers {
					if a != nil {
						failures <- a
						return
					}
					say(event{Key: ends[i].Lease.Job.Key, Ended: ends[i].State})
				}
				ends = ends[:0]
				for i, l := range leases {
					say(event{Key: l.Job.Key, Token: l.Token})
					switch i % 10 {
					case 0:
						ends = append(ends, buried(l))
					case 1: // it will lapse
					default:
						ends = append(ends, done(l))
					}
				}
			}
		}()
	}
	return <-failures
}

// event is one thing that the process was told.
type event struct {
	Key   string      `json:"k"`
	Ended queue.State `json:"e,omitempty"`
	Token int64       `json:"t,omitempty"`
}

// told is what an engine has told its callers: nothing of it may be undone.
type told struct {
	accepted bool
	ended    queue.State // 0: not told of an end
	token    int64       // the highest that a lease carried
}

// A process is killed under load, again and again on one file: nothing that it was told is lost.
func TestKill(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(*seedFlag, 9))
	path := newPath(t)
	all := map[string]told{}
	for range *killsFlag {
		p := start(t, "load", path, "200")
		var timer *time.Timer
		var once sync.Once
		n := 0
		for {
			var ev event
			if !p.hear(&ev) {
				break
			}
			f := all[ev.Key]
			switch {
			case ev.Ended != 0:
				f.ended = ev.Ended
			case ev.Token != 0:
				f.token = max(f.token, ev.Token)
			default:
				f.accepted = true
			}
			all[ev.Key] = f
			if n++; n == 50 { // under way: now at any moment
				once.Do(func() {
					timer = time.AfterFunc(time.Duration(chance.IntN(200))*time.Millisecond, func() { _ = p.Process.Kill() })
				})
			}
		}
		_ = p.Wait()
		if timer == nil {
			t.Fatalf("the process ended by itself after %d events", n)
		}
		timer.Stop()
	}
	e := openAt(t, path, Config{Logger: silent, sealAt: 200})
	lost, twice := 0, map[queue.ID]bool{}
	states := map[queue.ID]queue.Record{}
	for q := (queue.Query{Limit: queue.MaxPage}); ; {
		page, err := e.List(ctx, q)
		must(t, err)
		for _, r := range page.Records {
			if _, is := states[r.Job.ID]; is {
				twice[r.Job.ID] = true
			}
			states[r.Job.ID] = r
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	var again []queue.Job
	for key, f := range all {
		r, found := states[idOfKey(key)]
		if !found || f.ended != 0 && r.State != f.ended || r.Token < f.token {
			lost++
		}
		again = append(again, named(key))
	}
	for len(again) > 0 {
		n := min(len(again), maxBatch)
		receipts, err := e.Enqueue(ctx, again[:n]...)
		must(t, err)
		for i, r := range receipts {
			if r.Status != queue.Duplicate {
				t.Errorf("%s was told of, and enqueued again it was %s", again[i].Key, r.Status)
			}
		}
		again = again[n:]
	}
	b := balanced(t, e)
	t.Logf("%d kills, %d jobs told of, %d accepted, %d lost, %d twice", *killsFlag, len(all), b.Accepted, lost, len(twice))
	if lost > 0 || len(twice) > 0 {
		t.Error("acknowledged work was lost or doubled")
	}
}
