package ground

import (
	"context"
	"crypto/rand"
	"fmt"
	neturl "net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/queue"
)

// onServer fights on a server of somebody else's, under prefixes that are deleted afterwards.
func onServer(url string) (*Ground, error) {
	u, err := neturl.Parse(url)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("prove: the server's URL cannot be read: write redis://HOST:PORT/DB")
	}
	g := &Ground{URL: url, Absent: map[string]string{"F4": notOurs, "F5": serverDisk, "F6": serverDisk, "C7": serverDisk}}
	run := strings.ToLower(rand.Text()[:8])
	g.place = func(_ context.Context, _ string, n int64) (*Place, error) {
		prefix := fmt.Sprintf("prove-%s-%d", run, n)
		mine := *u
		q := mine.Query()
		q.Set("prefix", prefix)
		mine.RawQuery = q.Encode()
		p := &Place{URL: mine.String()}
		p.closers = append(p.closers, func() error { return deletePrefix(url, prefix) })
		p.Fresh = p.prefixed(prefix)
		if u.Scheme == "redis" {
			p.Behind = p.behind(u.Host)
		}
		return p, nil
	}
	if u.Scheme != "redis" {
		g.Absent["F7"] = "what is encrypted cannot be cut at its replies"
	}
	return g, nil
}

// prefixed opens engines each under a prefix of its own, which begins so.
func (p *Place) prefixed(prefix string) func(context.Context, func() time.Time) (queue.Engine, error) {
	var n atomic.Int64
	return func(ctx context.Context, now func() time.Time) (queue.Engine, error) {
		server, _, err := split(p.URL)
		if err != nil {
			return nil, err
		}
		return redis.Open(ctx, server, redis.Config{Prefix: fmt.Sprintf("%s-%d", prefix, n.Add(1)), Now: now})
	}
}

// deletePrefix deletes every key of an engine, its ledger and its data whose prefix begins so.
func deletePrefix(server, prefix string) error {
	option, err := rueidis.ParseURL(server)
	if err != nil {
		return err
	}
	option.DisableCache, option.ForceSingleClient = true, true
	client, err := rueidis.NewClient(option)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx := context.Background()
	for cursor := uint64(0); ; {
		page, err := client.Do(ctx, client.B().Scan().Cursor(cursor).Count(1000).Build()).AsScanEntry()
		if err != nil {
			return err
		}
		// A ledger's keys have the prefix in their hash tag.
		mine := slices.DeleteFunc(page.Elements, func(key string) bool { return !strings.HasPrefix(strings.TrimPrefix(key, "{"), prefix) })
		if len(mine) > 0 {
			if err := client.Do(ctx, client.B().Unlink().Key(mine...).Build()).Error(); err != nil {
				return err
			}
		}
		if cursor = page.Cursor; cursor == 0 {
			return nil
		}
	}
}
