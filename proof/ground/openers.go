package ground

import (
	"context"
	"fmt"
	neturl "net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/proof/campaign"
)

// Openers open stores by the scheme of their URL, for campaign.Config and campaign.Main:
//
//	sqlite:PATH               jobs, ledger and data in one file
//	redis://HOST:PORT/DB      the same on one server; ?prefix=NAME
//	beside:redis://…          a ledger that is not told who holds a job
//	torn:redis://…            a control: rows are made before their records
//	jumpy:FILE|URL            the engine's clock is off by the nanoseconds that are written in a file
var Openers = map[string]campaign.Opener{"sqlite": openSQLite, "redis": openRedis, "beside": openBeside, "torn": openTorn, "jumpy": openJumpy}

// openAt opens an engine of a scheme with a clock of the caller's; nil: its own.
func openAt(ctx context.Context, url string, now func() time.Time) (*campaign.Store, error) {
	scheme, _, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		return sqliteStore(ctx, strings.TrimPrefix(url, "sqlite:"), now)
	case "redis", "rediss":
		return redisStore(ctx, url, now)
	}
	return nil, fmt.Errorf("ground: there is no engine of scheme %.20q whose clock can be set", scheme)
}

func openJumpy(ctx context.Context, url string) (*campaign.Store, error) {
	file, engine, found := strings.Cut(strings.TrimPrefix(url, "jumpy:"), "|")
	if !found {
		return nil, fmt.Errorf("ground: %.80q names no file and engine", url)
	}
	var offset atomic.Int64
	read := func() {
		if text, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
				offset.Store(n)
			}
		}
	}
	read()
	go func() { // as long as the process
		for range time.Tick(10 * time.Millisecond) {
			read()
		}
	}()
	return openAt(ctx, engine, func() time.Time {
		return time.Now().Round(0).Add(time.Duration(offset.Load())) // without its monotonic part: the host's clock was set
	})
}

// Jumpy gives the URL of an engine whose clock follows a file, and what sets it off by so much. It is written beside and
// renamed: nobody reads half of it.
func Jumpy(url, file string) (jumpy string, set func(time.Duration) error) {
	return "jumpy:" + file + "|" + url, func(d time.Duration) error {
		if err := os.WriteFile(file+".new", []byte(strconv.FormatInt(int64(d), 10)), 0o600); err != nil {
			return err
		}
		return os.Rename(file+".new", file)
	}
}

// split takes the driver's own parameter from a server's URL.
func split(url string) (server, prefix string, err error) {
	u, err := neturl.Parse(url)
	if err != nil {
		return "", "", fmt.Errorf("ground: the server's URL cannot be read") // it may hold a password
	}
	q := u.Query()
	prefix = q.Get("prefix")
	q.Del("prefix")
	u.RawQuery = q.Encode()
	return u.String(), prefix, nil
}
