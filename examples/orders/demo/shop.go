package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/queue"
)

// shop is the customers of an API: they place orders over HTTP and remember what they were told.
type shop struct {
	url    string
	client *http.Client

	mu     sync.Mutex
	random *rand.Rand
	orders []order // those accepted, in the order in which they were placed
}

// order is one that the API accepted.
type order struct {
	Reference, ID string
	Amount        int64
	Customer      string
}

// charge names the job that charges it, receipt the one that mails it.
func (o order) charge() queue.ID  { return queue.NewID(jobs.ChargeKind, o.ID) }
func (o order) receipt() queue.ID { return queue.NewID(jobs.ReceiptKind, o.ID) }

// customer is where the mails about an order go.
func customer(reference string) string { return reference + "@customer.test" }

func newShop(url string, seed uint64) *shop {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	return &shop{url: url, client: &http.Client{Timeout: 10 * time.Second, Transport: transport}, random: rand.New(rand.NewPCG(seed, 1))}
}

// answered is what became of many requests.
type answered struct {
	Created, Known, Refused int
	Took                    []time.Duration // sorted
	First                   string          // the first refusal
}

// quantile gives how long the request took that was slower than this part of them.
func (a answered) quantile(q float64) time.Duration {
	if len(a.Took) == 0 {
		return 0
	}
	return a.Took[min(len(a.Took)-1, int(q*float64(len(a.Took))))]
}

// place places one order for each reference, several at a time. Only a context that ends is an error; what
// was refused is in the answer.
func (s *shop) place(ctx context.Context, references ...string) ([]order, answered, error) {
	s.mu.Lock()
	placed := make([]order, len(references))
	for i, r := range references {
		placed[i] = order{Reference: r, Amount: 100 + s.random.Int64N(50_000), Customer: customer(r)}
	}
	s.mu.Unlock()
	a, err := s.send(ctx, placed)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders = append(s.orders, slices.DeleteFunc(slices.Clone(placed), func(o order) bool { return o.ID == "" })...)
	return placed, a, err
}

// again sends every order again, as a client does that lost the answer. It fails if one of them gets another id.
func (s *shop) again(ctx context.Context) (answered, error) {
	all := s.all()
	same := slices.Clone(all)
	a, err := s.send(ctx, same)
	if err == nil && !slices.Equal(all, same) {
		err = fmt.Errorf("an order that was sent again got another id")
	}
	return a, err
}

func (s *shop) send(ctx context.Context, orders []order) (a answered, err error) {
	var mu sync.Mutex
	err = each(ctx, len(orders), func(ctx context.Context, i int) error {
		began := time.Now()
		status, why := s.post(ctx, &orders[i])
		took := time.Since(began)
		mu.Lock()
		defer mu.Unlock()
		a.Took = append(a.Took, took)
		switch status {
		case http.StatusCreated:
			a.Created++
		case http.StatusOK:
			a.Known++
		default:
			if a.Refused++; a.First == "" {
				a.First = why
			}
		}
		return ctx.Err()
	})
	slices.Sort(a.Took)
	return a, err
}

// post sends one order and keeps the id that was answered.
func (s *shop) post(ctx context.Context, o *order) (status int, why string) {
	body, err := json.Marshal(map[string]any{"reference": o.Reference, "customer": o.Customer, "amount_cents": o.Amount, "currency": "EUR"})
	if err != nil {
		return 0, err.Error()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/orders", bytes.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var got struct{ ID string }
	if err != nil || json.Unmarshal(text, &got) != nil || resp.StatusCode >= 300 || got.ID == "" {
		return max(resp.StatusCode, 300), fmt.Sprintf("%s: %.200s", resp.Status, text)
	}
	o.ID = got.ID
	return resp.StatusCode, ""
}

func (s *shop) all() []order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.orders)
}

// names makes references: prefix-1, prefix-2, …
func names(prefix string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%s-%d", prefix, i+1))
	}
	return all
}
