package metrics

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// How often the engine is read, and for how many times as long as a reading of the doubts took it is then left alone.
const (
	readEvery  = 5 * time.Second
	doubtEvery = time.Minute
	doubtShare = 50
)

var errSilent = errors.New("no answer in time")

// source reads something that may fail or hang. However many ask, one call is under way at a time; nobody waits
// longer than the patience; and a call that does not return, though its context has ended, is not waited for again
// and holds up no more than itself.
type source[T any] struct {
	patience time.Duration
	fresh    time.Duration // an answer is not asked for again before it is so old
	share    int           // nor before so many times as long as the call took

	mu     sync.Mutex
	call   func(context.Context) (T, error) // nil: there is nothing to read
	value  T
	err    error
	at     time.Time     // of the answer
	next   time.Time     // when to ask again
	flight chan struct{} // closed when the call under way returns; nil: there is none
	began  time.Time     // that call
}

// set changes what is called.
func (s *source[T]) set(call func(context.Context) (T, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call, s.next, s.at, s.flight = call, time.Time{}, time.Time{}, nil
}

// get gives the last answer where it is young enough, after asking for a new one where it is not.
func (s *source[T]) get(ctx context.Context) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.call != nil && s.flight == nil && !now.Before(s.next) {
		s.flight, s.began = make(chan struct{}), now
		go s.ask(s.call, s.flight)
	}
	if wait := s.patience - now.Sub(s.began); s.flight != nil && wait > 0 {
		s.wait(ctx, s.flight, wait)
	}
	var none T
	switch {
	case s.at.IsZero(), s.flight != nil && time.Since(s.began) >= s.patience, time.Since(s.at) > s.next.Sub(s.at)+s.fresh:
		return none, errSilent
	case s.err != nil:
		return none, s.err
	}
	return s.value, nil
}

// wait lets go of the lock until the call returns, ctx ends or the time is over.
func (s *source[T]) wait(ctx context.Context, done chan struct{}, most time.Duration) {
	s.mu.Unlock()
	defer s.mu.Lock()
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-done:
	case <-ctx.Done():
	case <-t.C:
	}
}

// ask makes one call. Its context is its own: it serves all that ask.
func (s *source[T]) ask(call func(context.Context) (T, error), done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	began := time.Now()
	value, err := safely(ctx, call)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(done)
	if s.flight != done {
		return // set has made it somebody else's answer
	}
	s.flight = nil
	s.value, s.err, s.at = value, err, time.Now()
	took := s.at.Sub(began)
	s.next = s.at.Add(max(s.fresh, time.Duration(s.share)*took))
}

// safely turns a panic into an error: a reading must not end the process.
func safely[T any](ctx context.Context, call func(context.Context) (T, error)) (value T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return call(ctx)
}
