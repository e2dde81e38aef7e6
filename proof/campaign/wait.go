package campaign

import (
	"fmt"
	"time"
)

// within runs wait beside itself and fails where that has not returned after d: the error says what did not
// come about. wait goes on.
func within(d time.Duration, what string, wait func()) error {
	over := make(chan struct{})
	go func() {
		wait()
		close(over)
	}()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-over:
		return nil
	case <-t.C:
		return fmt.Errorf("never in %s: %s", d, what)
	}
}

// lastWord is how long what should end at once may take on a busy machine.
const lastWord = 30 * time.Second
