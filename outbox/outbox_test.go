package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/queue"
)

func engine(t *testing.T) *memory.Engine {
	t.Helper()
	e, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func enqueue(t *testing.T, box *memory.Engine, jobs ...queue.Job) []queue.Receipt {
	t.Helper()
	receipts, err := outbox.Into(box, 0).Enqueue(t.Context(), jobs...)
	if err != nil {
		t.Fatal(err)
	}
	return receipts
}

// All of a job arrives, under its own id.
func TestAJobArrivesAsItWas(t *testing.T) {
	box, far := engine(t), engine(t)
	soon := time.Now().Add(time.Hour).Truncate(queue.Resolution).UTC()
	sent := queue.Job{Queue: "q", Kind: "k", Key: "a\x00\xff", Fingerprint: 1<<63 + 7, Payload: []byte("\x00\xfe"), Origin: soon.Add(-2 * time.Hour), RunAt: soon,
		Deadline: soon.Add(time.Hour), Timeout: time.Second, KeepFor: time.Hour, Priority: -3, Group: "g", Unique: "\xff", Parent: queue.NewID("k", "p"),
		Headers: queue.Headers{"x": "\xff"}}
	if r := enqueue(t, box, sent)[0]; r.Status != queue.Accepted || r.ID != queue.NewID("k", sent.Key) {
		t.Fatalf("%+v", r)
	}
	if n, err := outbox.NewRelay(box, far, outbox.Config{}).Once(t.Context(), 0); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	got, err := far.Job(t.Context(), queue.NewID("k", sent.Key))
	sent.ID = got.Job.ID
	if err != nil || fmt.Sprintf("%+v", got.Job) != fmt.Sprintf("%+v", sent) {
		t.Errorf("%v\ngot  %+v\nsent %+v", err, got.Job, sent)
	}
}

func TestReceipts(t *testing.T) {
	box := engine(t)
	a := queue.Job{Queue: "q", Kind: "k", Key: "a", Payload: []byte("1")}
	other := a
	other.Payload = []byte("2")
	got := enqueue(t, box, a, a, other, queue.Job{Queue: "q", Kind: "k"}, queue.Job{Queue: "q", Kind: "k", Key: "large", Payload: make([]byte, queue.DefaultMaxPayload+1)})
	for i, want := range []queue.Status{queue.Accepted, queue.Duplicate, queue.Conflict, queue.Refused, queue.Refused} {
		if got[i].Status != want {
			t.Errorf("%d: %+v, want %s", i, got[i], want)
		}
	}
	if id := queue.NewID("k", "a"); got[1].Holder != id || got[2].Holder != id || !errors.Is(got[4].Err, queue.ErrTooLarge) {
		t.Errorf("%+v", got)
	}
}

// What the other engine refuses is dead in the box, and holds up nothing.
func TestARefusalIsSeen(t *testing.T) {
	box, far := engine(t), engine(t)
	taken := queue.Job{Queue: "q", Kind: "k", Key: "a", Payload: []byte("1")}
	if _, err := far.Enqueue(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	taken.Payload = []byte("2")
	enqueue(t, box, taken, queue.Job{Queue: "q", Kind: "k", Key: "b"})
	if n, err := outbox.NewRelay(box, far, outbox.Config{}).Once(t.Context(), 0); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	dead, err := box.List(t.Context(), queue.Query{State: queue.Dead})
	if err != nil || len(dead.Records) != 1 || dead.Records[0].Job.Key != queue.NewID("k", "a").String() || dead.Records[0].Error == "" {
		t.Errorf("%+v, %v", dead, err)
	}
	if _, err := far.Job(t.Context(), queue.NewID("k", "b")); err != nil {
		t.Error(err)
	}
}

// cut is an engine whose process dies at a step: from then on every call fails, the one under way with its effect or
// without it.
type cut struct {
	queue.Engine
	step  *int
	after bool
}

var errDied = errors.New("the process died")

func (c cut) at(call func() error) error {
	*c.step--
	switch {
	case *c.step > 0:
		return call()
	case *c.step == 0 && c.after:
		_ = call()
	}
	return errDied
}

func (c cut) Claim(ctx context.Context, req queue.Claim) (l []queue.Lease, err error) {
	err = c.at(func() (err error) { l, err = c.Engine.Claim(ctx, req); return err })
	return l, err
}

func (c cut) Enqueue(ctx context.Context, jobs ...queue.Job) (r []queue.Receipt, err error) {
	err = c.at(func() (err error) { r, err = c.Engine.Enqueue(ctx, jobs...); return err })
	return r, err
}

func (c cut) Settle(ctx context.Context, ends ...queue.Settlement) (errs []error, err error) {
	err = c.at(func() (err error) { errs, err = c.Engine.Settle(ctx, ends...); return err })
	return errs, err
}

// A relay that dies before or after any of its calls neither loses a job nor makes two.
func TestADeathAtEveryStep(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := 1; ; n++ {
			var now time.Time
			clock := func() time.Time { return now }
			now = time.Now()
			box, err := memory.New(memory.Config{Now: clock})
			if err != nil {
				t.Fatal(err)
			}
			far := engine(t)
			enqueue(t, box, queue.Job{Queue: "q", Kind: "k", Key: "a"}, queue.Job{Queue: "q", Kind: "k", Key: "b"})
			step := n
			_, died := outbox.NewRelay(cut{box, &step, after}, cut{far, &step, after}, outbox.Config{Lease: 30 * time.Second}).Once(t.Context(), 0)
			for range 4 { // the dead relay's leases run out while others are served
				now = now.Add(15 * time.Second)
				if err := box.Announce(t.Context(), queue.Worker{Name: "w"}, time.Hour); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := outbox.NewRelay(box, far, outbox.Config{}).Once(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			inBox, err := box.Depths(t.Context(), outbox.Queue)
			if err != nil || inBox[0].Done != 2 {
				t.Errorf("died at call %d, after it: %v: the box holds %+v, %v", n, after, inBox, err)
			}
			there, err := far.Depths(t.Context(), "q")
			if err != nil || there[0].Accepted != 2 || there[0].Queued != 2 {
				t.Errorf("died at call %d, after it: %v: the engine holds %+v, %v", n, after, there, err)
			}
			if died == nil {
				if n < 4 {
					t.Errorf("only %d calls", n-1)
				}
				break
			}
		}
	}
}
