package ground

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/internal/faultproxy"
	"github.com/twicehq/twice/internal/redistest/server"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

// Ground is an engine on which campaigns are fought. Its methods may be called concurrently.
type Ground struct {
	URL string // as it was given
	// Absent says of campaigns, by their names in the protocol, why they cannot be fought here.
	Absent map[string]string

	place func(ctx context.Context, dir string, n int64) (*Place, error)
	n     atomic.Int64
}

// Place is a fresh store, and what of it can be attacked. Close it when the campaign has been judged.
type Place struct {
	URL    string          // for campaign.Config; it is one of Openers
	Server campaign.Server // the process that the data is in; nil: there is none, or it is not ours to end
	// Behind gives a URL of the same store behind a link that can be broken; nil: there is no network.
	Behind func() (url string, link campaign.Link, err error)
	// Fresh opens one more store at this place, in this process and on a clock of the caller's, for proofs that need many;
	// nil: a file of one's own does as well.
	Fresh func(ctx context.Context, now func() time.Time) (queue.Engine, error)

	closers []func() error
}

// Close removes the store, and ends what was started for it.
func (p *Place) Close() error {
	var errs []error
	for len(p.closers) > 0 {
		last := len(p.closers) - 1
		errs = append(errs, p.closers[last]())
		p.closers = p.closers[:last]
	}
	return errors.Join(errs...)
}

// Open opens the store in this process, with a clock of the caller's; nil: the engine's own.
func (p *Place) Open(ctx context.Context, now func() time.Time) (*campaign.Store, error) {
	return openAt(ctx, p.URL, now)
}

// Place makes a fresh store. dir is a folder of the campaign's own.
func (g *Ground) Place(ctx context.Context, dir string) (*Place, error) {
	return g.place(ctx, dir, g.n.Add(1))
}

// On gives the ground that a URL names:
//
//	sqlite:           files in each campaign's folder
//	sqlite:PATH       files of their own in PATH's folder, so that its disk is the one under proof; PATH is not touched
//	redis:            a redis-server that is started for each campaign, and syncs each write before it answers
//	redis://…         that server, under a prefix for each campaign, which is deleted afterwards
//
// A URL of none of these is a *queue.Error with queue.ErrUnsupported.
func On(url string) (*Ground, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch {
	case scheme == "sqlite":
		return onFiles(url, rest)
	case scheme == "redis" && rest == "":
		return onServersOfItsOwn(url)
	case scheme == "redis" || scheme == "rediss":
		return onServer(url)
	}
	return nil, &queue.Error{Op: "prove", Subject: fmt.Sprintf("engine %.20q", scheme), Reason: queue.ErrUnsupported,
		Detail: "campaigns need an engine that several processes can share", Remedy: "give sqlite:, sqlite:PATH, redis: or redis://HOST:PORT/DB"}
}

// The reasons why campaigns cannot be fought on a ground.
const (
	noNetwork  = "there is no network between a process and its file"
	notOurs    = "the server at this URL is not ours to end; redis: alone starts servers of its own"
	serverDisk = "the disk is the server's: see the tests of driver/redis for a full one, and what the engine says it survives"
)

func onFiles(url, path string) (*Ground, error) {
	g := &Ground{URL: url, Absent: map[string]string{"F7": noNetwork}}
	folder := ""
	if path != "" {
		folder = filepath.Dir(path)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, &queue.Error{Op: "prove", Subject: "folder " + folder, Reason: queue.ErrUnavailable, Cause: err, Remedy: "make the folder, or give sqlite: alone"}
		}
	}
	g.place = func(_ context.Context, dir string, _ int64) (*Place, error) {
		p := &Place{}
		if folder != "" {
			var err error
			if dir, err = os.MkdirTemp(folder, ".prove-"); err != nil {
				return nil, err
			}
			p.closers = append(p.closers, func() error { return os.RemoveAll(dir) })
		}
		p.URL = "sqlite:" + filepath.Join(dir, "campaign.db")
		return p, nil
	}
	return g, nil
}

func onServersOfItsOwn(url string) (*Ground, error) {
	if _, _, err := server.Find(); err != nil {
		return nil, &queue.Error{Op: "prove", Subject: "redis-server", Reason: queue.ErrUnavailable, Cause: err, Remedy: "install redis-server 6.2 or later, or name a running one by its URL"}
	}
	g := &Ground{URL: url, Absent: map[string]string{"F5": serverDisk, "F6": serverDisk, "C7": serverDisk}}
	g.place = func(ctx context.Context, dir string, _ int64) (*Place, error) {
		s, err := server.Start(ctx, server.Options{Dir: dir, Persistence: server.Always})
		if err != nil {
			return nil, err
		}
		p := &Place{URL: "redis://" + s.Addr() + "/0", Server: s, closers: []func() error{s.Close}}
		p.Behind, p.Fresh = p.behind(s.Addr()), p.prefixed("proof")
		return p, nil
	}
	return g, nil
}

// behind puts a proxy before the server at an address.
func (p *Place) behind(addr string) func() (string, campaign.Link, error) {
	return func() (string, campaign.Link, error) {
		proxy, err := faultproxy.New(addr)
		if err != nil {
			return "", nil, err
		}
		p.closers = append(p.closers, proxy.Close)
		return strings.Replace(p.URL, addr, proxy.Addr(), 1), proxy, nil
	}
}
