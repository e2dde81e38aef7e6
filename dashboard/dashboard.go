package dashboard

import (
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Config of a Dashboard; a zero field means what its comment says.
type Config struct {
	// Path is where the dashboard is mounted, such as /board; empty: the root. Requests must come with it.
	Path string
	// Token is a viewer's. With it numbers for the charts are also taken while nobody looks; an API without tokens needs
	// none for that. It is never shown, nor lent to a visitor.
	Token string
	// Every is how often numbers are taken for the charts: 5 s. Below 0: only while somebody looks.
	Every time.Duration
	// Runbooks is the address of the pages that say more about a verdict, to which <verdict>.md is added: those of the
	// project. A page only links to it.
	Runbooks string
	// Secure marks cookies as for TLS only, where a proxy ends TLS and says nothing of it. They are so anyway where the
	// request came over TLS, or its proxy says that it did.
	Secure bool
	Zone   *time.Location   // UTC; of exact times
	Logger *slog.Logger     // slog's default: pages that could not be made; never a token or a payload
	Now    func() time.Time // time.Now
}

// DefaultRunbooks is where verdicts are explained.
const DefaultRunbooks = "https://github.com/twicehq/twice/blob/main/docs/runbooks/"

// Dashboard is the pages of one API. It is safe for concurrent use. Its memory is bounded: see history.
type Dashboard struct {
	api     http.Handler
	cfg     Config
	mux     http.Handler
	pages   map[string]*template.Template
	history *history
	last    lastSeen
	host    atomic.Pointer[string] // under which the last visitor came in; the sampler uses it, too
	beat    time.Duration          // how often a page is brought up to date
	end     func()                 // ends the sampler, and waits for it
}

// New makes the pages of an API, whose handler is called in process. The handler must be that of package httpapi, or pass
// requests on to it. It fails where cfg is wrong, naming everything that is. Close it when done.
func New(api http.Handler, cfg Config) (*Dashboard, error) {
	cfg, err := cfg.complete()
	if api == nil {
		err = errors.Join(errors.New("configure dashboard: it has no API: make one with httpapi.New"), err)
	}
	if err != nil {
		return nil, err
	}
	d := &Dashboard{api: api, cfg: cfg, history: newHistory(), beat: 3 * time.Second}
	if d.pages, err = parsed(d); err != nil {
		return nil, err
	}
	d.mux = d.routes()
	d.end = d.startSampler()
	return d, nil
}

// Close ends what runs in the background and waits for that. Pages go on to be answered. It may be called again.
func (d *Dashboard) Close() error {
	d.end()
	return nil
}

func (c Config) complete() (Config, error) {
	var wrong []error
	c.Path = strings.TrimSuffix(c.Path, "/")
	if c.Path != "" && (c.Path[0] != '/' || strings.ContainsAny(c.Path, "{}?#% \"'<>;,\\") || strings.Contains(c.Path, "//")) {
		wrong = append(wrong, fmt.Errorf("configure dashboard: Path is %q: use one such as /board", c.Path))
	}
	if c.Runbooks == "" {
		c.Runbooks = DefaultRunbooks
	}
	if u, err := url.Parse(c.Runbooks); err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "" {
		wrong = append(wrong, fmt.Errorf("configure dashboard: Runbooks is %q: use an http or https address", c.Runbooks))
	}
	if c.Every == 0 {
		c.Every = 5 * time.Second
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, errors.Join(wrong...)
}

// to gives the address of a page: segments are escaped, whatever they hold.
func (d *Dashboard) to(segments ...string) string {
	path := d.cfg.Path
	for _, s := range segments {
		path += "/" + url.PathEscape(s)
	}
	if len(segments) == 0 {
		path += "/"
	}
	return path
}
