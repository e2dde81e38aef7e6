package suite

import (
	"fmt"
	"io"
	"runtime/pprof"
	"time"
)

// stuck means that a contestant did not come back. Its goroutines still run, so nothing measured after
// it would count.
type stuck struct{ after time.Duration }

func (s stuck) Error() string { return fmt.Sprintf("did not end within %v", s.after) }

// bounded does what a contestant may get stuck in, and logs all stacks when it does.
func bounded(limit time.Duration, log io.Writer, do func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(limit):
		pprof.Lookup("goroutine").WriteTo(log, 1)
		return stuck{limit}
	}
}
