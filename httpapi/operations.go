package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// operations are those that run in the background, few at a time, and the last ones that ended.
type operations struct {
	most int

	mu      sync.Mutex
	all     []*operation // oldest first
	running int
	closed  bool
	wait    sync.WaitGroup
}

// keptOperations bounds those that ended and can still be looked at.
const keptOperations = 100

func newOperations(most int) *operations { return &operations{most: most} }

// begin starts work, unless an operation of that name is known: then that one is given. It fails with ErrConflict
// where it was another change, and with ErrUnavailable where too many run.
func (os *operations) begin(ch Change, verb string, by queue.Actor, now func() time.Time, work func(*operation)) (Operation, error) {
	id := ch.Operation
	if id == "" {
		id = newOperationID()
	}
	os.mu.Lock()
	defer os.mu.Unlock()
	if known := os.find(id); known != nil {
		if v := known.view(); v.What != verb || v.By != by.Name || !reflect.DeepEqual(known.of, ch) {
			return Operation{}, &queue.Error{Op: verb, Subject: id, Reason: queue.ErrConflict, Detail: "another operation has that name", Remedy: "leave operation out for a new one"}
		}
		return known.view(), nil
	}
	switch {
	case os.closed:
		return Operation{}, &queue.Error{Op: verb, Reason: queue.ErrClosed, Detail: "the server ends"}
	case os.running >= os.most:
		return Operation{}, &queue.Error{Op: verb, Reason: queue.ErrUnavailable, Detail: fmt.Sprintf("%d operations run already", os.running), Remedy: "wait until one has ended, or stop one"}
	}
	o := newOperation(id, verb, by, now)
	o.of, o.state.PerSecond = ch, ch.PerSecond
	os.all = append(os.all, o)
	os.running++
	os.wait.Go(func() {
		work(o)
		os.ended()
	})
	return o.view(), nil
}

// ended counts one less, and forgets the oldest ones beyond those kept.
func (os *operations) ended() {
	os.mu.Lock()
	defer os.mu.Unlock()
	os.running--
	for n := len(os.all) - os.running - keptOperations; n > 0; n-- {
		at := slices.IndexFunc(os.all, func(o *operation) bool { return o.view().State != OperationRunning })
		if at < 0 {
			return
		}
		os.all = slices.Delete(os.all, at, at+1)
	}
}

// find needs the lock.
func (os *operations) find(id string) *operation {
	at := slices.IndexFunc(os.all, func(o *operation) bool { return o.state.ID == id }) // it never changes
	if at < 0 {
		return nil
	}
	return os.all[at]
}

func (os *operations) get(op, id string) (*operation, error) {
	os.mu.Lock()
	defer os.mu.Unlock()
	if o := os.find(id); o != nil {
		return o, nil
	}
	return nil, &queue.Error{Op: op, Subject: id, Reason: queue.ErrNotFound, Detail: "this server knows no such operation (any more): they end with its process", Remedy: "/api/v1/operations lists them; the audit trail tells what was changed"}
}

// newest gives all, the newest first, without what they refused.
func (os *operations) newest() []Operation {
	os.mu.Lock()
	defer os.mu.Unlock()
	views := []Operation{}
	for _, o := range slices.Backward(os.all) {
		v := o.view()
		v.Refusals = []Refusal{}
		views = append(views, v)
	}
	return views
}

func (os *operations) close(ctx context.Context) error {
	os.mu.Lock()
	os.closed = true
	for _, o := range os.all {
		o.stop(stopped{because: "the server ended"})
	}
	os.mu.Unlock()
	ended := make(chan struct{})
	go func() { os.wait.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return &queue.Error{Op: "close", Subject: "API", Reason: ctx.Err(), Detail: "an operation is still under way"}
	}
}

// newOperationID makes a random one.
func newOperationID() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// Operations are those that run and the last ones that ended, newest first.
type Operations struct {
	Operations []Operation `json:"operations"`
}

func (s *Server) listOperations(context.Context, *call) (Operations, error) {
	return Operations{s.operations.newest()}, nil
}

func (s *Server) getOperation(_ context.Context, c *call) (Operation, error) {
	o, err := s.operations.get(c.name, c.text("id"))
	if err != nil {
		return Operation{}, err
	}
	return o.view(), nil
}

// stopOperation stops one that runs, between two parts of it; one that has ended is as it was.
func (s *Server) stopOperation(_ context.Context, c *call, w Why) (Operation, error) {
	by, err := c.actor(w)
	if err != nil {
		return Operation{}, err
	}
	o, err := s.operations.get(c.name, c.text("id"))
	if err != nil {
		return Operation{}, err
	}
	o.stop(stopped{by.Name, by.Why})
	return o.view(), nil
}
