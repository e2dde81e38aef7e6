package dashboard

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/twicehq/twice/queue"
)

func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

func (p *tab) typed(selector, text string) {
	p.t.Helper()
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// TestSteer does in a browser what a person on call does.
func TestSteer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, Config{})
	s := w.play()
	in := browser(t)
	p := open(t, in, w.handler)

	// Nobody sees anything without a token, and comes back to where he wanted to be.
	p.to("/queues/orders")
	if at := eval[string](p, "location.pathname + location.search"); at != "/sign-in?next=%2Fqueues%2Forders" {
		t.Fatal("without a token one is at ", at)
	}
	p.typed("input[name=token]", "not-a-token-at-all-0")
	p.click("main button[type=submit]")
	p.wait(`document.querySelector("[role=alert]:not([hidden])") && document.body.innerText.includes("not known here")`)
	p.typed("input[name=token]", opToken)
	p.click("main button[type=submit]")
	p.wait(`location.pathname === "/queues/orders"`)
	if eval[string](p, "document.cookie") != "" {
		t.Error("a script can read the cookies")
	}

	// Pause: the reason is required, and it stands in the trail.
	p.click(`a[href="/queues/orders/pause"]`)
	p.wait(`document.querySelector("input[name=why]")`)
	p.click("main button[type=submit]")
	if !eval[bool](p, `document.querySelector("input[name=why]").matches(":invalid") && location.pathname.endsWith("/pause")`) {
		t.Error("it can be paused without a reason")
	}
	p.typed("input[name=why]", "stocktaking <b>OPS-9</b>")
	p.click("main button[type=submit]")
	p.wait(`location.pathname === "/queues/orders" && document.querySelector("[role=status]")?.innerText.includes("is paused")`)
	if d, err := w.engine.Depths(w.ctx, "orders"); err != nil || !d[0].Paused {
		t.Fatal("the queue is not paused: ", err)
	}
	p.to("/audit")
	if text := p.text(); !strings.Contains(text, "stocktaking <b>OPS-9</b>") || !strings.Contains(text, "alice") {
		t.Error("the trail does not tell who paused it and why: ", text)
	}
	p.to("/queues/orders")
	p.click(`a[href="/queues/orders/resume"]`)
	p.wait(`document.querySelector("input[name=why]")`)
	p.typed("input[name=why]", "done")
	p.click("main button[type=submit]")
	p.wait(`document.querySelector("[role=status]")?.innerText.includes("goes on")`)

	// Redrive one job, then a group: counted first, then in the background.
	p.to("/jobs/" + s.dead.String())
	p.click(`a[href$="/redrive"]`)
	p.wait(`document.querySelector("input[name=why]")`)
	p.typed("input[name=why]", "the mailbox is back")
	p.click("main button[type=submit]")
	p.wait(`document.querySelector("[role=status]")?.innerText.includes("back in its queue")`)
	if r, err := w.engine.Job(w.ctx, s.dead); err != nil || r.State != queue.Queued {
		t.Fatal("it is not redriven: ", err)
	}
	p.to("/dead")
	p.click(`a[href*="/dead/group"]`)
	p.wait(`location.pathname === "/dead/group" && document.querySelector("table.jobs")`)
	p.click(`a[href*="/dead/redrive"]`)
	p.wait(`document.body.innerText.includes("Would redrive")`)
	if !strings.Contains(p.text(), "11 jobs") {
		t.Error("the dry run does not tell the number: ", p.text())
	}
	p.typed("input[name=why]", "all mailboxes are back")
	p.click("main button[type=submit]")
	p.wait(`location.pathname.startsWith("/operations/") && document.body.innerText.includes("11 of 11 jobs") && document.body.innerText.includes("Done")`)

	// Answer a doubt.
	p.to("/jobs/" + s.doubt.String())
	p.click(`a[href$="/resolve"]`)
	p.wait(`document.querySelector("select[name=happened]")`)
	p.do(chromedp.SetValue(chromedp.CSS("select[name=happened]"), "yes"))
	p.typed("textarea[name=result]", `{"charge":"ch_1"}`)
	p.typed("input[name=why]", "the gateway lists it")
	p.click("main button[type=submit]")
	p.wait(`document.querySelector("[role=status]")?.innerText.includes("runs again")`)

	// Run a schedule now: sent twice it is one run.
	p.to("/schedules/nightly-report/run")
	p.typed("input[name=why]", "the boss asks")
	p.click("main button[type=submit]")
	p.wait(`location.pathname.startsWith("/jobs/") && document.body.innerText.includes("the boss asks")`)
	p.well("steering")
}

// TestLive: what changes in the engine comes to the page by itself, without taking the focus away.
func TestLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, Config{})
	w.play()
	p := open(t, browser(t), w.handler)
	p.signIn(opToken)
	p.to("/")
	p.wait(`document.querySelectorAll("canvas").length >= 8`)
	p.do(chromedp.Focus(chromedp.CSS("#a-mails")))
	eval[bool](p, `document.querySelector("#q-charges .chart").mine = true`)
	drawn := eval[string](p, `document.querySelector("#q-charges [data-chart]").dataset.values`)
	for i := range 7 {
		w.hand("charges", "orders.charge", "late-"+strings.Repeat("x", i), "{}")
	}
	d, err := w.engine.Depths(w.ctx, "charges")
	w.must(err)
	w.clock.pass(20e9)
	p.wait(`document.querySelector("#q-charges .facts dd").innerText.startsWith("` + counted(d[0].Ready.N) + `")`)
	p.wait(`document.querySelector("#q-charges [data-chart]").dataset.values !== ` + "`" + drawn + "`")
	if at := eval[string](p, `document.activeElement.id`); at != "a-mails" {
		t.Error("the update took the focus to ", at)
	}
	if !eval[bool](p, `document.querySelector("#q-charges .chart").mine === true`) {
		t.Error("the update put another chart in the place of the one that was there")
	}

	// The engine goes away and comes back.
	w.gate.set(true)
	p.wait(`document.querySelector("h1").innerText.includes("does not answer")`)
	if text := p.text(); !strings.Contains(text, "It has not answered since") || !strings.Contains(text, "charges") {
		t.Error("what was known is not shown: ", text)
	}
	p.well("the engine away")
	p.to("/workers")
	p.wait(`document.body.innerText.includes("The engine does not answer")`)
	w.gate.set(false)
	p.wait(`document.querySelector("h1").innerText === "Workers" && document.body.innerText.includes("billing-7f4c")`)
}

// TestLost: a page whose server is gone says so, and since when.
func TestLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false, Config{})
	w.play()
	gone := &away{Handler: w.handler}
	p := open(t, browser(t), gone)
	p.to("/")
	gone.set(true)
	p.wait(`!document.getElementById("lost").hidden && document.getElementById("lost-since").innerText.startsWith("at ")`)
	gone.set(false)
	p.wait(`document.getElementById("lost").hidden`)
}

// TestViewer: a viewer sees no way to change anything, no payload, and is refused when he posts anyway.
func TestViewer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, Config{})
	s := w.play()
	p := open(t, browser(t), w.handler)
	p.signIn(viewToken)
	for _, path := range []string{"/", "/queues/charges", "/jobs/" + s.doubt.String(), "/jobs/" + s.stuck.String(), "/dead", "/schedules"} {
		p.to(path)
		if n := eval[int](p, `document.querySelectorAll("main form[method=post], main a[href*='/pause'], main a[href*='/redrive'], main a[href*='/discard'], main a[href*='/cancel'], main a[href*='/resolve'], main a[href$='/run']").length`); n > 0 {
			t.Errorf("%s: a viewer sees %d ways to change something", path, n)
		}
		if strings.Contains(p.text(), "amount_cents") {
			t.Errorf("%s: a viewer sees a payload", path)
		}
	}
	p.to("/queues/charges/pause")
	if text := p.text(); !strings.Contains(text, "You may look, and not change") {
		t.Error("a viewer gets a form: ", text)
	}
	eval[bool](p, `(() => { const f = document.createElement("form"); f.method = "post"; f.action = "/queues/charges/pause"; f.innerHTML = "<input name=why value=x>"; document.body.append(f); f.submit(); return true; })()`)
	p.wait(`document.body.innerText.includes("You may not do this")`)
	if d, err := w.engine.Depths(w.ctx, "charges"); err != nil || d[0].Paused {
		t.Error("a viewer paused a queue: ", err)
	}
	p.click(`form[action="/sign-out"] button`)
	p.wait(`location.pathname === "/sign-in"`)
	p.to("/jobs")
	p.wait(`location.pathname === "/sign-in"`)
	p.well("a viewer")
}

// TestNameOnce: where the API has no tokens a person says who he is, once.
func TestNameOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false, Config{Path: "/board"})
	w.play()
	p := open(t, browser(t), w.handler)
	p.to("/board/queues/orders/pause")
	p.typed("input[name=who]", "Zoë")
	p.typed("input[name=why]", "a look")
	p.click("main button[type=submit]")
	p.wait(`location.pathname === "/board/queues/orders" && document.querySelector(".who").innerText.includes("Zoë")`)
	p.to("/board/queues/orders/resume")
	if who := eval[string](p, `document.querySelector("input[name=who]").value`); who != "Zoë" {
		t.Error("he is asked again: ", who)
	}
	p.well("without tokens")
}
