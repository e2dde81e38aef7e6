package proof_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof"
)

type Charge struct {
	OrderID string `json:"order_id"`
}

var ChargeOrder = twice.Define("orders.charge", twice.Policy[Charge]{Key: func(c Charge) string { return c.OrderID }})

// shop is what the handler needs, built on what the kit sees.
type shop struct {
	ledger  ledger.Store
	http    *http.Client
	gateway *gateway
}

func newShop(o *proof.Outside) (*shop, error) {
	gateway := &gateway{charges: map[string]int{}, keys: map[string]bool{}}
	return &shop{ledger: o.Ledger(), http: o.Client(gateway), gateway: gateway}, nil
}

// gateway charges, once for each key.
type gateway struct {
	charges map[string]int
	keys    map[string]bool
}

func (g *gateway) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	if key := r.Header.Get("Idempotency-Key"); !g.keys[key] {
		g.keys[key] = true
		g.charges[r.FormValue("order")]++
	}
}

// charge is the handler.
func (s *shop) charge(ctx context.Context, job twice.Job[Charge]) error {
	_, err := ledger.Once(ctx, s.ledger, ledger.Effect[string]{
		Step: "charge",
		Do: func(ctx context.Context, key string) (string, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://pay.test/charges?order="+job.Args.OrderID, nil)
			if err != nil {
				return "", err
			}
			r.Header.Set("Idempotency-Key", key)
			answer, err := s.http.Do(r)
			if err != nil {
				return "", err
			}
			return "charged", answer.Body.Close()
		},
		KeyLife: 24 * time.Hour,
	})
	return err
}

// look is what the world is compared by.
func (s *shop) look() any { return s.gateway.charges }

// How do I show that my handler is safe to run twice? In a test:
func ExampleHandler() {
	testCharge := func(t testing.TB) {
		proof.Handler(t, proof.Case[Charge, *shop]{
			World: newShop, Kind: ChargeOrder, Args: Charge{"o-17"}, Handle: (*shop).charge, Observe: (*shop).look,
		})
	}

	t := &told{} // go test gives a *testing.T
	testCharge(t)
	fmt.Print(t.text)
	// Output:
	// orders.charge is safe to run twice: 107 schedules, each in a fresh world, left it as one clean run of 7 points does
	//   crash            7  n = 1 … 7
	//   lost reply       3  n = 1 … 6
	//   error            3  n = 1 … 5
	//   redrive          4  n = 1 … 6
	//   zombie           7  n = 1 … 7
	//   second crash    41  n = 1 … 7
	//   duplicate       41  n = 1 … 7
	//   late             1  n = 1 … 1
}
