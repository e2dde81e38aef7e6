package dashboard

import (
	"embed"
	"net/http"
	"path"
)

//go:embed assets/*.css assets/*.js assets/*.svg assets/LICENSE-*
var assets embed.FS

//go:embed templates/*.html
var templates embed.FS

// served gives the files of the binary. They are small and may change with it, so a browser asks again each hour.
func served(files embed.FS) http.Handler {
	from := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Ext(r.URL.Path) == "" && path.Base(r.URL.Path) != "LICENSE-htmx" && path.Base(r.URL.Path) != "LICENSE-uplot" {
			http.NotFound(w, r) // no listing of the folder
			return
		}
		w.Header().Set("Cache-Control", "private, max-age=3600")
		from.ServeHTTP(w, r)
	})
}
