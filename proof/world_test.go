package proof_test

import (
	"context"
	"maps"
	"sync"
	"testing"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof"
)

type parcel struct {
	ID string `json:"id"`
}

var ship = twice.Define("parcels.ship", twice.Policy[parcel]{Key: func(p parcel) string { return p.ID }})

type job = twice.Job[parcel]

// yard is a world with a remote that counts what it is asked, and a register that processes share.
type yard struct {
	o        *proof.Outside
	ledger   ledger.Store
	outside  *outside
	memory   map[string]bool // of the process
	register map[string]int64
	lock     *sync.Mutex
}

type outside struct {
	mu   sync.Mutex
	made map[string]int
	keys map[string]bool
}

func newYard(o *proof.Outside) (*yard, error) {
	return &yard{
		o: o, ledger: o.Ledger(), memory: map[string]bool{}, register: map[string]int64{}, lock: &sync.Mutex{},
		outside: &outside{made: map[string]int{}, keys: map[string]bool{}},
	}, nil
}

// restarted is the yard with another process's memory.
func (y *yard) restarted() *yard {
	fresh := *y
	fresh.memory = map[string]bool{}
	return &fresh
}

// act has an effect outside each time, or once for a key that is not empty.
func (y *yard) act(ctx context.Context, what, key string) error {
	return proof.Call(ctx, what, func() error {
		y.outside.mu.Lock()
		defer y.outside.mu.Unlock()
		if key == "" || !y.outside.keys[what+key] {
			y.outside.made[what]++
			y.outside.keys[what+key] = true
		}
		return nil
	})
}

// put writes to the register, get reads it.
func (y *yard) put(ctx context.Context, what string, n int64) error {
	return proof.Call(ctx, "put "+what, func() error { y.register[what] = n; return nil })
}

func (y *yard) get(ctx context.Context, what string) (n int64, err error) {
	err = proof.Read(ctx, "get "+what, func() error { n = y.register[what]; return nil })
	return n, err
}

// look leaves the register out: it is nobody's business but the handlers'.
func (y *yard) look() any {
	y.outside.mu.Lock()
	defer y.outside.mu.Unlock()
	return maps.Clone(y.outside.made)
}

type change = func(*proof.Case[parcel, *yard])

func parcelCase(handle func(*yard, context.Context, job) error, changes ...change) proof.Case[parcel, *yard] {
	c := proof.Case[parcel, *yard]{World: newYard, Kind: ship, Args: parcel{"p-1"}, Handle: handle, Observe: (*yard).look, Start: (*yard).restarted}
	for _, f := range changes {
		f(&c)
	}
	return c
}

func prove(t *testing.T, handle func(*yard, context.Context, job) error, changes ...change) proof.Report {
	t.Helper()
	r, err := proof.Run(parcelCase(handle, changes...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func replay(schedule string) change {
	return func(c *proof.Case[parcel, *yard]) { c.Replay = schedule }
}

func wantSafe(t *testing.T, r proof.Report) {
	t.Helper()
	if !r.Safe || !r.Complete() {
		t.Errorf("it does not pass:\n%s", r)
	}
}
