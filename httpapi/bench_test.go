package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twicehq/twice/queue"
)

// BenchmarkAPI tells what the API adds to an engine in memory, which takes next to nothing.
func BenchmarkAPI(b *testing.B) {
	e := inMemory(b)
	all := tokens(b)
	api, err := New(e, Config{Tokens: all, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 50 {
		must[[]queue.Receipt](b)(e.Enqueue(b.Context(), queue.Job{Queue: fmt.Sprint("q", i), Kind: "k", Key: fmt.Sprint(i), Payload: []byte(`{"id":1}`)}))
	}
	ask := func(b *testing.B, method, path string, body func(int) string) {
		for i := 0; b.Loop(); i++ {
			q := httptest.NewRequest(method, path, strings.NewReader(body(i)))
			q.Header.Set("Content-Type", "application/json")
			q.Header.Set("Authorization", "Bearer "+opToken)
			w := httptest.NewRecorder()
			if api.ServeHTTP(w, q); w.Code > http.StatusCreated {
				b.Fatal(w.Code, w.Body)
			}
		}
	}
	none := func(int) string { return "" }
	b.Run("abilities", func(b *testing.B) { ask(b, "GET", v1+"abilities", none) })
	b.Run("job", func(b *testing.B) { ask(b, "GET", v1+"jobs/"+queue.NewID("k", "1").String(), none) })
	b.Run("50 queues", func(b *testing.B) { ask(b, "GET", v1+"queues", none) })
	b.Run("50 jobs", func(b *testing.B) { ask(b, "GET", v1+"jobs?limit=50", none) })
	b.Run("enqueue", func(b *testing.B) {
		ask(b, "POST", v1+"jobs", func(i int) string { return fmt.Sprintf(`{"kind":"k","key":"b%d","args":{"id":%d}}`, i, i) })
	})
}
