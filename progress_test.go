package twice_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		twice.Progress(t.Context(), 1, 2) // outside a handler: nothing
		var p twice.Progressed
		if done, total, moved := p.Read(); done != 0 || total != 0 || !moved.IsZero() {
			t.Errorf("%d of %d at %s before any report", done, total, moved)
		}
		ctx, cancel := context.WithTimeout(twice.WithProgress(t.Context(), &p), time.Hour)
		defer cancel()
		time.Sleep(time.Second)
		twice.Progress(ctx, 3, 9)
		if done, total, moved := p.Read(); done != 3 || total != 9 || !moved.Equal(time.Now()) {
			t.Errorf("%d of %d at %s", done, total, moved)
		}
		twice.Progress(ctx, -3, -9)
		if done, total, _ := p.Read(); done != 0 || total != 0 {
			t.Errorf("%d of %d", done, total)
		}
	})
}
