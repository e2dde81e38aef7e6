package dashboard

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

// nasty are texts that somebody may put where any text may be.
var nasty = []string{
	`<script>window.pwned=1</script>`, `"><img src=x onerror="window.pwned=1">`, `'-window.pwned=1-'`, `</pre></bdi></main><script>window.pwned=1</script>`,
	`javascript:window.pwned=1`, `{{template "layout"}}`, `</textarea></title><svg onload=window.pwned=1>`, "<!--", "\u202Egnp.exe\u2066\u200f right to left", strings.Repeat("W", 700), "nul\x00and\x07bell",
	"\xff\xfe\xc3\x28 not UTF-8", "a\u0301\u0302\u0303\u0304 combining", "עברית " + strings.Repeat("العربية", 40), "😀" + strings.Repeat("👩‍👩‍👧‍👦", 60), strings.Repeat("line\n", 400),
	strings.Repeat("8 KiB of an error <b>", 400)[:8<<10], `{"deep":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "hx-get=/x hx-trigger=load <div hx-get='/audit' hx-trigger='load'>",
}

// hostile fills a world with what a hostile producer, handler, worker and engine could say, and gives the pages that tell it.
func (w *world) hostile() []string {
	w.t.Helper()
	long := strings.Repeat("Q", 64)
	var pages []string
	for i, text := range nasty {
		id := w.hand(long, strings.Repeat("k", 63)+fmt.Sprint(i%3), text[:min(len(text), 500)]+fmt.Sprint(i), text[:min(len(text), 3000)], func(j *queue.Job) {
			j.Headers = queue.Headers{"request_id": strings.ToValidUTF8(text[:min(len(text), 300)], "?"), "traceparent": "00-" + text[:min(len(text), 30)] + "-x-01", "run_by": text[:min(len(text), 100)], "run_why": text[:min(len(text), 400)]}
			j.Group = "g"
		})
		pages = append(pages, "/jobs/"+id.String())
	}
	for i, l := range w.claim(nasty[1], long, 100, strings.Repeat("k", 63)+"0", strings.Repeat("k", 63)+"1", strings.Repeat("k", 63)+"2") {
		text := nasty[i%len(nasty)]
		if i%4 == 3 {
			w.retry(l, text, 0)
			continue
		}
		w.bury(l, queue.ReasonFailures, text)
	}
	now := w.clock.now()
	for i, text := range nasty {
		one := queue.Worker{Name: strings.ToValidUTF8(text[:min(len(text), 60)], "?") + fmt.Sprint(i), Host: text, PID: -1 << 40, Version: text, Queues: []string{long, text, ""}, Kinds: []string{text, strings.Repeat("k", 64)},
			Slots: 1 - i*1000, Busy: 1 << 40 * (i % 2), Deaf: i - 3, LastPoll: now.Add(time.Duration(i-5) * 10000 * time.Hour), Started: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)}
		for n := range 3 {
			one.Running = append(one.Running, queue.Progress{Queue: text, Kind: text, Attempt: -5, Since: now.Add(time.Duration(n) * 1e15), Done: n*1e15 - 1, Total: n - 1})
		}
		_ = w.engine.Announce(w.ctx, one, time.Hour) // an engine may refuse nonsense
	}
	for _, text := range nasty {
		_ = w.engine.Pause(w.ctx, queue.Actor{Name: strings.ToValidUTF8(text[:min(len(text), 60)], "?"), Why: strings.ToValidUTF8(text[:min(len(text), 3000)], "?")}, long)
		w.gate.more = append(w.gate.more, queue.Depth{Queue: text, Accepted: 1 << 62, Queued: -5, Ready: queue.Seen{N: -1, More: true}, Done: 1 << 61, Dead: 1 << 60, OldestDue: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), AsOf: now})
		w.found = append(w.found, diagnose.Finding{Queue: text, Verdict: diagnose.Verdict(text), Says: text, Change: text, Do: text, Runbook: text, Also: []diagnose.Verdict{diagnose.Verdict(text), diagnose.Poison},
			Since: now, At: now, Samples: 3, Evidence: []diagnose.Evidence{{Name: text, Value: 1e300, Unit: text, Text: text, Workers: []string{text}}}, Capacity: &diagnose.Capacity{Arrivals: 1e300, Completions: -1, MeanRun: -5, Slots: -1}})
	}
	w.found = append(w.found, diagnose.Finding{Queue: long, Verdict: diagnose.StuckHandler, Says: nasty[0] + nasty[9] + nasty[8], Change: nasty[9], Do: nasty[1], Runbook: "../" + nasty[0], Since: now, At: now, Samples: 2,
		Evidence: []diagnose.Evidence{{Name: nasty[9], Value: 1e300, Unit: nasty[9], Text: nasty[9], Workers: nasty[:10]}}})
	pages = append(pages, "/", "/?page=2", "/queues/"+long, "/dead", "/jobs?queue="+long, "/workers", "/audit", "/audit/books", "/schedules", "/engine")
	for i, text := range nasty {
		q := url.QueryEscape(text[:min(len(text), 800)])
		pages = append(pages, []string{"/jobs?queue=" + q + "&kind=" + q + "&find=" + q, "/dead?queue=" + q + "&reason=" + q, "/dead/group?signature=" + q}[i%3])
	}
	q, p := url.QueryEscape(nasty[0]), url.PathEscape(nasty[0])
	return append(pages, "/queues/"+p, "/jobs/"+p, "/schedules/"+p+"/run", "/operations/"+p, "/"+p, "/?page="+q, "/audit?cursor="+q, "/sign-in?next="+q, "/queues/"+url.PathEscape(nasty[9]), "/sign-in?next="+url.QueryEscape("//evil.example/"),
		"/dead/redrive?queue="+q+"&signature="+q, "/queues/"+long+"/resume", "/jobs?cursor="+q+"&"+q+"="+q)
}

// TestHostile shows, in a real browser, that nothing that anybody says becomes a script or breaks a page.
func TestHostile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, Config{})
	pages := w.hostile()
	p := open(t, browser(t), w.handler)
	p.signIn(opToken)
	widths := []int64{1440, 360}
	for _, path := range pages {
		p.to(path)
		if eval[bool](p, "window.pwned !== undefined") {
			t.Fatalf("%s: a script ran", path)
		}
		for _, width := range widths {
			p.size(width, 900)
			if wide := eval[string](p, wider); wide != "" {
				t.Errorf("%.120s at %d px is wider than the window: %s", path, width, wide)
			}
		}
		slices.Reverse(widths) // the next page begins with the width that is
		if n := eval[int](p, `document.querySelectorAll("main script, main img, main iframe, main svg, main [onerror], main [onload], main [style]:not(.uplot *):not(.uplot)").length`); n != 0 {
			t.Errorf("%.120s: %d elements that the templates do not have", path, n)
		}
		if links := eval[string](p, `Array.from(document.querySelectorAll("a[href]")).filter(a => a.protocol !== "http:" && a.protocol !== "https:" || a.origin !== location.origin && !/docs\/runbooks\/[a-z_]+\.md$/.test(a.href)).map(a => a.outerHTML).join(" ")`); links != "" {
			t.Errorf("%.120s: links to nowhere good: %s", path, links)
		}
		p.well(path)
	}
}

// wider is empty where the page fits, else what does not.
const wider = `(() => { const d = document.documentElement; if (d.scrollWidth <= d.clientWidth) return "";
	return Array.from(document.querySelectorAll("main *, header *")).filter(e => e.getBoundingClientRect().right > d.clientWidth + 1).slice(0, 4).map(e => e.outerHTML.slice(0, 160)).join(" | ") || "somewhere"; })()`
