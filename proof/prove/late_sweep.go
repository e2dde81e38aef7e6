package prove

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// sweptByID is a ledger that has forgotten jobs for no other reason than that the engine had: what it is asked of one of
// them later, it writes under another name.
type sweptByID struct {
	ledger.Store
	mu   sync.Mutex
	gone map[queue.ID]int // how often it was swept
}

func (s *sweptByID) all(ids []queue.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.gone[id]++
	}
}

// generationMark parts a step's name from how often the job was swept.
const generationMark = "-swept"

func (s *sweptByID) anew(try ledger.Try) ledger.Try {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.gone[try.Lease.Job.ID]; n > 0 {
		try.Step += fmt.Sprint(generationMark, n)
	}
	return try
}

func (s *sweptByID) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	return s.Store.Intend(ctx, s.anew(try))
}

func (s *sweptByID) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	return s.Store.Confirm(ctx, s.anew(try), result)
}

func cutGeneration(key string) (before, after string, found bool) {
	return strings.Cut(key, generationMark)
}
