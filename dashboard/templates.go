package dashboard

import (
	"html/template"
	"net/url"
	"strings"
)

// parsed reads the templates: each page with the layout and the parts.
func parsed(d *Dashboard) (map[string]*template.Template, error) {
	shared, err := template.New("").Funcs(template.FuncMap{
		"to": d.to, "count": counted[int], "count64": counted[int64], "visible": visible, "shorten": shorten, "queryTo": queryTo, "one": noun, "lasts": lasts,
	}).ParseFS(templates, "templates/layout.html", "templates/part_*.html")
	if err != nil {
		return nil, err
	}
	files, err := templates.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, f := range files {
		name, is := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".html"), "page_")
		if !is {
			continue
		}
		page, err := shared.Clone()
		if err == nil {
			_, err = page.ParseFS(templates, "templates/"+f.Name())
		}
		if err != nil {
			return nil, err
		}
		pages[name] = page
	}
	return pages, nil
}

// queryTo adds parameters that are not empty to an address; pairs are name and value.
func queryTo(address string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return address
	}
	return address + "?" + q.Encode()
}
