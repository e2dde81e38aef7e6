package redis

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/redis/rueidis"
)

// scripted is a client that answers each call with the next error, and then with success.
type scripted struct {
	rueidis.Client
	errs  []error
	calls int
}

func (s *scripted) next() (r rueidis.RedisResult) {
	if s.calls++; s.calls <= len(s.errs) {
		return rueidis.NewErrorResult(s.errs[s.calls-1])
	}
	return r
}

func (s *scripted) Do(context.Context, rueidis.Completed) rueidis.RedisResult { return s.next() }

func (s *scripted) DoMulti(_ context.Context, commands ...rueidis.Completed) (all []rueidis.RedisResult) {
	for range commands {
		all = append(all, s.next())
	}
	return all
}

// A call that waited for a connection that another's deadline kept from being made is made again; one whose own time is
// over is not, nor one that found nobody there.
func TestACallDoesNotFailByAnothersDeadline(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	late, refused := dial(os.ErrDeadlineExceeded), dial(syscall.ECONNREFUSED)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		what  string
		ctx   context.Context
		errs  []error
		calls int
		want  error
	}{
		{"another's deadline", t.Context(), []error{late, late}, 3, nil},
		{"another gave up", t.Context(), []error{dial(errors.New("operation was canceled"))}, 2, nil},
		{"another's handshake was cut off", t.Context(), []error{context.DeadlineExceeded, context.Canceled}, 3, nil},
		{"its own time is over", over, []error{late}, 1, os.ErrDeadlineExceeded},
		{"nobody is there", t.Context(), []error{refused}, 1, syscall.ECONNREFUSED},
		{"a connection that broke: it may have been carried out", t.Context(), []error{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}}, 1, os.ErrDeadlineExceeded},
	} {
		s := &scripted{errs: c.errs}
		if err := (lasting{s}).Do(c.ctx, rueidis.Completed{}).NonRedisError(); !errors.Is(err, c.want) || s.calls != c.calls {
			t.Errorf("%s: %d calls, %v", c.what, s.calls, err)
		}
	}
	s := &scripted{errs: []error{nil, late, refused, late}} // of four commands two are made again
	all := lasting{s}.DoMulti(t.Context(), make([]rueidis.Completed, 4)...)
	if s.calls != 6 || len(all) != 4 || !errors.Is(all[2].NonRedisError(), syscall.ECONNREFUSED) {
		t.Errorf("%d calls", s.calls)
	}
	for _, i := range []int{0, 1, 3} {
		if err := all[i].NonRedisError(); err != nil {
			t.Errorf("command %d: %v", i, err)
		}
	}
}
