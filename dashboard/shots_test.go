package dashboard

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// pagesOf gives every page of a shop, by a name for its picture.
func (w *world) pagesOf(s shop) map[string]string {
	w.t.Helper()
	began := w.ask("POST", "/dead/redrive?queue=mails&kind=mails.reminder", "why=the+template+is+mended&rate=1&limit=2&operation="+httpapi.NewOperation(), as(opToken)...)
	if began.Code != http.StatusSeeOther {
		w.t.Fatal(began.Code, main(began.Body.String()))
	}
	groups := w.ask("GET", "/dead", "", as(opToken)...).Body.String()
	_, group, _ := strings.Cut(groups, `href="/dead/group?`)
	group, _, _ = strings.Cut(group, `"`)
	return map[string]string{
		"operation": began.Header().Get("Location"), "group": "/dead/group?" + html.UnescapeString(group),
		"overview": "/", "queue": "/queues/charges", "queue-well": "/queues/orders", "jobs": "/jobs", "jobs-none": "/jobs?queue=nowhere", "job": "/jobs/" + s.doubt.String(),
		"job-running": "/jobs/" + s.stuck.String(), "job-retried": "/jobs/" + s.retried.String(), "job-dead": "/jobs/" + s.dead.String(), "job-cancelled": "/jobs/" + s.cancelled.String(), "job-unknown": "/jobs/00000000000000000000000000000001",
		"dead": "/dead", "dead-none": "/dead?queue=orders", "change-redrive": "/dead/redrive?queue=mails", "change-pause": "/queues/orders/pause", "change-resolve": "/jobs/" + s.doubt.String() + "/resolve",
		"change-cancel": "/jobs/" + s.stuck.String() + "/cancel", "schedules": "/schedules", "run": "/schedules/nightly-report/run", "workers": "/workers", "audit": "/audit", "books": "/audit/books", "engine": "/engine",
		"nowhere": "/nowhere", "wrong": "/jobs?state=sleeping", "signin": "/sign-in",
	}
}

// TestShots writes a picture of every page at two widths in both themes, for a person to look at.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("for a person to look at: -shots FOLDER")
	}
	w := newWorld(t, true, Config{})
	w.board.beat = 3 * time.Second
	s := w.play()
	in := browser(t)
	p := open(t, in, w.handler)
	p.signIn(opToken)
	pages := w.pagesOf(s)
	shoot := func(p *tab, name, path string) {
		for _, theme := range []string{"light", "dark"} {
			p.theme(theme)
			for _, width := range []int64{1440, 360} {
				p.size(width, 900)
				p.to(path)
				p.picture(filepath.Join(*shots, fmt.Sprintf("%s-%s-%d.png", name, theme, width)), true)
			}
		}
	}
	for name, path := range pages {
		shoot(p, name, path)
	}
	w.gate.set(true)
	shoot(p, "away-overview", "/")
	shoot(p, "away-queue", "/queues/charges")
	w.gate.set(false)
	p = open(t, in, w.handler)
	p.signIn(viewToken)
	shoot(p, "viewer-job", "/jobs/"+s.doubt.String())
	shoot(p, "viewer-change", "/queues/charges/pause")
	empty := newWorld(t, false, Config{})
	p = open(t, in, empty.handler)
	for name, path := range map[string]string{"overview": "/", "jobs": "/jobs", "dead": "/dead", "workers": "/workers", "schedules": "/schedules", "audit": "/audit"} {
		shoot(p, "empty-"+name, path)
	}
	api, err := httpapi.New(bare{empty.engine}, httpapi.Config{})
	empty.must(err)
	board, err := New(api, Config{Every: -1})
	empty.must(err)
	p = open(t, in, board)
	for name, path := range map[string]string{"overview": "/", "jobs": "/jobs", "dead": "/dead", "workers": "/workers", "engine": "/engine"} {
		shoot(p, "bare-"+name, path)
	}
}

// TestRecord writes the pictures that the README shows, with -record.
func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("it writes docs/evidence/dashboard-*.png: -record")
	}
	w := newWorld(t, true, Config{})
	w.board.beat = 3 * time.Second
	s := w.play()
	p := open(t, browser(t), w.handler)
	p.signIn(opToken)
	for _, one := range []struct {
		name, path    string
		width, height int64
		theme         string
	}{{"overview", "/", 1280, 1010, "light"}, {"job", "/jobs/" + s.doubt.String(), 1280, 860, "light"}, {"dead", "/dead", 1280, 900, "dark"}, {"overview-phone", "/", 360, 780, "dark"}} {
		p.theme(one.theme)
		p.size(one.width, one.height)
		p.to(one.path)
		if one.path == "/" {
			p.wait(`document.querySelectorAll("canvas").length >= 8`)
		}
		path := filepath.Join("..", "docs", "evidence", "dashboard-"+one.name+".png")
		p.picture(path, false)
		if err := small(path); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() > 120_000 {
			t.Errorf("%s is too large: %v, %v", path, info, err)
		}
	}
}

// small writes a picture again with the 256 colours that it has most of.
func small(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	from, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	size := from.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			count[at(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int { return cmp.Compare(count[b], count[a]) })
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	to, nearest := image.NewPaletted(size, palette), map[color.RGBA]uint8{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			c := at(x, y)
			if _, known := nearest[c]; !known {
				nearest[c] = uint8(palette.Index(c))
			}
			to.SetColorIndex(x, y, nearest[c])
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
