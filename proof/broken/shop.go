package broken

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof"
)

// shop is the world of the examples that need no SQL: a payment gateway and a mail service over HTTP, a stock in a
// database, and what a process keeps in its memory.
type shop struct {
	o      *proof.Outside
	http   *http.Client
	ledger ledger.Store
	stock  *stock
	remote *remote
	seen   map[string]bool // in memory: gone with the process
}

// stock is data in a database.
type stock struct{ left int }

func newShop(o *proof.Outside) (*shop, error) {
	s := &shop{o: o, ledger: o.Ledger(), stock: &stock{left: 10}, remote: newRemote(), seen: map[string]bool{}}
	s.http = o.Client(s.remote)
	return s, nil
}

// restarted is the shop as a new process sees it.
func (s *shop) restarted() *shop {
	fresh := *s
	fresh.seen = map[string]bool{}
	return &fresh
}

// look is what an outsider sees of the world.
func (s *shop) look() any {
	made := s.remote.look()
	made["stock left"] = s.stock.left
	return made
}

// errUnavailable: nobody knows whether the request was carried out.
var errUnavailable = errors.New("the service did not answer")

// post asks a service for something. An empty key is sent as none.
func (s *shop) post(ctx context.Context, what, order, key string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+what+"?order="+order, nil)
	if err != nil {
		return err
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := s.http.Do(r)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnavailable, err)
	}
	return answer.Body.Close()
}

// exists asks a service whether it has anything of an order, or of a key.
func (s *shop) exists(ctx context.Context, what, query string) (bool, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+what+"?"+query, nil)
	if err != nil {
		return false, err
	}
	answer, err := s.http.Do(r)
	if err != nil {
		return false, fmt.Errorf("%w: %w", errUnavailable, err)
	}
	return answer.StatusCode == http.StatusOK, answer.Body.Close()
}

// once asks a service once for each job, whose keys it honours for a day.
func (s *shop) once(ctx context.Context, step, what, order string) error {
	_, err := ledger.Once(ctx, s.ledger, ledger.Effect[string]{
		Step:    step,
		Do:      func(ctx context.Context, key string) (string, error) { return order, s.post(ctx, what, order, key) },
		KeyLife: 24 * time.Hour,
	})
	return err
}

// The services.
const (
	charges = "pay.test/charges"
	mails   = "mail.test/mails"
)
