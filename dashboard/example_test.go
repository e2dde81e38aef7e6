package dashboard_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/twicehq/twice/dashboard"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/httpapi"
)

// How do I put the dashboard beside the API?
func ExampleNew() {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	api, err := httpapi.New(engine, httpapi.Config{})
	if err != nil {
		log.Fatal(err)
	}
	board, err := dashboard.New(api, dashboard.Config{Path: "/board"})
	if err != nil {
		log.Fatal(err)
	}
	defer board.Close()
	mux := http.NewServeMux()
	mux.Handle("/api/", api)
	mux.Handle("/board/", board)

	page := httptest.NewRecorder()
	mux.ServeHTTP(page, httptest.NewRequest("GET", "http://localhost/board/", nil))
	fmt.Println(page.Code, page.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}
