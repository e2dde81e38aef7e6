package dashboard

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/twicehq/twice/internal/browsertest"
)

var (
	full   = flag.Bool("full", false, "measure at full size: it takes minutes")
	record = flag.Bool("record", false, "write the screenshots of docs/evidence")
	shots  = flag.String("shots", "", "a folder to write a screenshot of every page to, to look at")
)

// tab is a page in a real browser, and what it complained of.
type tab struct {
	t      testing.TB
	ctx    context.Context
	base   string
	mu     sync.Mutex
	errors []string
}

// browser starts one for the test, with one context for everything in it.
func browser(t testing.TB) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browsertest.Need(t)), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.NoFirstRun, chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(30*time.Second))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal("chromium did not start: ", err)
	}
	return ctx
}

// open gives a new tab, in a session of its own, that shows a dashboard.
func open(t testing.TB, in context.Context, handler http.Handler) *tab {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	ctx, cancel := chromedp.NewContext(in, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx, base: server.URL}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, errLog := cdp.Call(ctx, target, log.Enable, cdp.Empty{})
		_, errNet := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		_, errRun := cdp.Call(ctx, target, runtime.Enable, cdp.Empty{})
		return errors.Join(errLog, errNet, errRun)
	}))
	p.size(1440, 900)
	return p
}

// hear keeps what the browser's console and its policy complain of, and any request to elsewhere.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "status of") || strings.Contains(e.Entry.Text, "Content Security Policy") {
			p.errors = append(p.errors, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			p.errors = append(p.errors, fmt.Sprintf("console: %v", e.Args[0].Value))
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, p.base) && !strings.HasPrefix(e.Request.URL, "about:") && !strings.HasPrefix(e.Request.URL, "data:") {
			p.errors = append(p.errors, "a request left: "+e.Request.URL)
		}
	}
}

// well fails the test where the browser complained.
func (p *tab) well(what string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		p.t.Errorf("%s: the browser complains: %s", what, e)
	}
	p.errors = nil
}

// get carries an action out and gives its answer.
func get[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		at, _ := chromedp.Run(p.ctx, chromedp.Location())
		p.t.Fatalf("at %s: %v", at, err)
	}
	return v
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	get(p, chromedp.Steps(actions...))
}

func (p *tab) size(width, height int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
}

func (p *tab) theme(name string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	}))
}

// to goes to a page and waits until it is there.
func (p *tab) to(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.base+path), chromedp.WaitReady(chromedp.CSS("#main")))
}

// wait looks until an expression is true, also while the page goes to another.
func (p *tab) wait(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 20*time.Second)
	defer cancel()
	beat := time.NewTicker(30 * time.Millisecond)
	defer beat.Stop()
	for {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && is {
			return
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			at, _ := chromedp.Run(p.ctx, chromedp.Location())
			text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.body.innerText"))
			p.t.Fatalf("at %s it does not come about that %s (%v):\n%s", at, expression, err, text)
		}
	}
}

func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	return get(p, chromedp.Evaluate[T](expression))
}

func (p *tab) text() string { return eval[string](p, "document.body.innerText") }

// signIn signs in by the page.
func (p *tab) signIn(token string) {
	p.t.Helper()
	p.to("/sign-in")
	p.do(chromedp.SendKeys(chromedp.CSS("input[name=token]"), token), chromedp.Click(chromedp.CSS("main button[type=submit]")), chromedp.WaitReady(chromedp.CSS("header .who")))
}

// picture takes one of the page, whole or as much as the window shows.
func (p *tab) picture(path string, whole bool) {
	p.t.Helper()
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	b := get(p, take)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
