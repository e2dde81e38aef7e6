//go:build !linux

package history

import (
	"runtime"

	"github.com/twicehq/twice/queue"
)

func monotonic() (int64, error) {
	return 0, &queue.Error{Op: "history", Subject: runtime.GOOS, Reason: queue.ErrUnsupported, Detail: "no clock is known here that all processes share and nobody sets",
		Remedy: "record the histories of several processes on Linux"}
}
