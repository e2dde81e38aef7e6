package dashboard

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// faint gives the texts of a page whose contrast is below AA, by the colours that the browser computed.
const faint = `(() => {
	const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return [m[0], m[1], m[2], m.length > 3 ? m[3] : 1]; };
	const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const light = c => { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); }); return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
	const ground = e => { const all = []; for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) { all.push(c); if (c[3] === 1) break; } }
		return all.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]); };
	const bad = [];
	const check = (e, style, what) => {
		if (!e.getClientRects().length) return;
		let opacity = 1; for (let a = e; a; a = a.parentElement) opacity *= +getComputedStyle(a).opacity;
		const under = ground(e), ink = parse(style.color); ink[3] *= opacity;
		const a = light(over(ink, under)), b = light(under), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) bad.push(what.trim().slice(0, 40) + " " + ratio.toFixed(2));
	};
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) { const e = walk.currentNode.parentElement; if (walk.currentNode.data.trim() && !e.closest("script,style,option,[hidden]")) check(e, getComputedStyle(e), walk.currentNode.data); }
	document.querySelectorAll("input:not([type=hidden]),select,textarea").forEach(e => { check(e, getComputedStyle(e), "value of " + e.name); if (e.placeholder) check(e, getComputedStyle(e, "::placeholder"), "placeholder of " + e.name); });
	return [...new Set(bad)].slice(0, 8).join("; "); })()`

// overlaps gives texts that lie upon each other, and those that are cut off.
const overlaps = `(() => {
	const all = [], bad = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const n = walk.currentNode, e = n.parentElement;
		if (!n.data.trim() || e.closest("script,style,option,select,.skip,thead,[hidden],pre")) continue;
		const r = document.createRange(); r.selectNodeContents(n);
		const boxes = Array.from(r.getClientRects());
		if (boxes.length > 5 && boxes.every(b => b.width < 24)) bad.push("squeezed: " + n.data.trim().slice(0, 30));
		for (const b of boxes) if (b.width > 1 && b.height > 1) all.push({ b, t: n.data.trim().slice(0, 30), e });
	}
	all.sort((x, y) => x.b.top - y.b.top);
	for (let i = 0; i < all.length; i++) for (let k = i + 1; k < all.length && all[k].b.top < all[i].b.bottom - 5; k++) {
		const a = all[i].b, c = all[k].b, w = Math.min(a.right, c.right) - Math.max(a.left, c.left);
		if (w > 2 && Math.min(a.bottom, c.bottom) - c.top > 5) bad.push("overlap: " + all[i].t + " / " + all[k].t);
	}
	document.querySelectorAll("main *, header *").forEach(e => {
		if (e.closest(".uplot,[data-chart],.skip,thead,pre,select,input,textarea,progress")) return;
		const s = getComputedStyle(e);
		if (s.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1 || s.overflowY !== "visible" && e.scrollHeight > e.clientHeight + 1) bad.push("cut: " + e.outerHTML.slice(0, 80));
	});
	return bad.slice(0, 6).join("; "); })()`

// TestLooks goes through every page: what a browser says of it, its landmarks, its width, its contrast, and whether any
// text lies upon another.
func TestLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, Config{})
	pages := w.pagesOf(w.play())
	p := open(t, browser(t), w.handler)
	p.signIn(opToken)
	look := func(name, path string) {
		p.theme("light")
		p.to(path)
		for _, width := range []int64{1440, 360} {
			p.size(width, 900)
			if wide := eval[string](p, wider); wide != "" {
				t.Errorf("%s at %d px is wider than the window: %s", name, width, wide)
			}
			if bad := eval[string](p, overlaps); bad != "" {
				t.Errorf("%s at %d px: %s", name, width, bad)
			}
		}
		for _, theme := range []string{"light", "dark"} {
			p.theme(theme)
			if bad := eval[string](p, faint); bad != "" {
				t.Errorf("%s, %s: contrast below 4.5: %s", name, theme, bad)
			}
		}
		if bad := eval[string](p, shape); bad != "" {
			t.Errorf("%s: %s", name, bad)
		}
		p.well(name)
	}
	for name, path := range pages {
		look(name, path)
	}
	w.gate.set(true)
	look("the overview while the engine is away", "/")
	if n := eval[int](p, `document.querySelectorAll("main .good").length`); n != 0 {
		t.Error("while the engine is away something is called well")
	}
	look("a queue while the engine is away", "/queues/charges")
}

// shape is empty where a page has what a reader by ear needs.
const shape = `(() => { const bad = [], n = s => document.querySelectorAll(s).length;
	if (n("h1") !== 1) bad.push(n("h1") + " headings of the first level");
	if (n("main") !== 1 || n("header") !== 1 || n("footer") !== 1) bad.push("landmarks");
	if (!document.title || !document.documentElement.lang) bad.push("title or lang");
	if (n("nav.main") && n("nav.main [aria-current=page]") > 1) bad.push("aria-current");
	document.querySelectorAll("input:not([type=hidden]),select,textarea").forEach(e => { if (!e.labels.length) bad.push("no label: " + e.name); });
	document.querySelectorAll("a,button").forEach(e => { if (!(e.innerText || e.textContent).trim()) bad.push("no name: " + e.outerHTML.slice(0, 80)); });
	document.querySelectorAll("time").forEach(e => { if (e.dateTime && !e.title) bad.push("time without its instant"); });
	const ids = Array.from(document.querySelectorAll("[id]")).map(e => e.id); if (new Set(ids).size !== ids.length) bad.push("an id is there twice: " + ids.filter((x, i) => ids.indexOf(x) !== i));
	if (/\d{4,}(ns|µs)|[^.]\b0001-01-01|map\[|%!|<nil>|&lt;/.test(document.body.innerText)) bad.push("raw values");
	return bad.join("; "); })()`

// TestKeyboard reaches every control by the tab key, and sees where it is.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, Config{})
	s := w.play()
	p := open(t, browser(t), w.handler)
	p.signIn(opToken)
	for _, path := range []string{"/", "/queues/charges", "/jobs/" + s.doubt.String(), "/dead", "/dead/redrive?queue=mails", "/schedules"} {
		p.to(path)
		n := eval[int](p, `(() => { document.activeElement.blur(); window.reached = new Set(); window.unseen = [];
			window.controls = Array.from(document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,[tabindex='0']")).filter(e => e.getClientRects().length);
			document.addEventListener("focusin", e => { reached.add(e.target); const c = getComputedStyle(e.target); if (c.outlineStyle === "none" || parseFloat(c.outlineWidth) < 2) unseen.push(e.target.outerHTML.slice(0, 80)); });
			return controls.length; })()`)
		for range n + 2 {
			p.do(chromedp.KeyEvent("\t"))
		}
		if missed := eval[string](p, `controls.filter(e => e.isConnected && !reached.has(e)).map(e => e.outerHTML.slice(0, 80)).join(" ")`); missed != "" {
			t.Errorf("%s: the tab key does not reach %s", path, missed)
		}
		if unseen := eval[string](p, `unseen.join(" ")`); unseen != "" {
			t.Errorf("%s: focus cannot be seen on %s", path, unseen)
		}
		p.to(path)
		p.do(chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
		p.wait(`location.hash === "#main" && document.activeElement.id === "main"`)
	}
}

// TestLooksControl: what looks at pages does see what is wrong with one.
func TestLooksControl(t *testing.T) {
	t.Parallel()
	p := open(t, browser(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy+"; style-src-attr 'unsafe-inline'")
		_, _ = w.Write([]byte(`<!doctype html><main id="main"><p style="color:#999;background:#fff">faint</p><p style="margin-bottom:-32px">one text</p><p>upon another</p>
			<p style="width:5000px">wide</p><p style="overflow:hidden;width:20px;white-space:nowrap">cut off here</p><p style="width:8px;overflow-wrap:anywhere">squeezed</p><input name="x"><script>window.pwned=1</script></main>`))
	}))
	p.to("/")
	for name, look := range map[string]string{"contrast": faint, "overlap and cut": overlaps, "width": wider, "shape": shape} {
		if eval[string](p, look) == "" {
			t.Errorf("%s: nothing is found", name)
		}
	}
	if text := eval[string](p, overlaps); !strings.Contains(text, "overlap") || !strings.Contains(text, "cut") || !strings.Contains(text, "squeezed") {
		t.Error("found is only ", text)
	}
	p.wait("document.readyState === 'complete'")
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.errors) == 0 || eval[bool](p, "window.pwned !== undefined") {
		t.Error("the policy was broken, and nothing was heard of it")
	}
}
