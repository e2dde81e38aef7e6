// Package dashboard shows an engine in a browser, and lets an operator steer it.
//
//	board, err := dashboard.New(api, dashboard.Config{})
//	defer board.Close()
//	mux.Handle("/api/", api)
//	mux.Handle("/", board)
//
// It reads and changes through the API alone, by its Go client, in the same process and with the visitor's own token: who
// may do what, every bound and every audit row are the API's. What is shown comes from templates, scripts and styles in
// the binary; a page loads nothing from elsewhere, runs no inline script, and is whole without scripts.
package dashboard
