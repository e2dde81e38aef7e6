package redis

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// answerWithin bounds the wait for an answer, and how long a connection that gives no sign of life is kept.
const answerWithin = 5 * time.Second

// connection reads redis://[USER:PASSWORD@]HOST:PORT[,HOST:PORT…][/DB]; rediss:// is the same over TLS. Several
// addresses are those of a cluster, or with ?sentinel=NAME of the sentinels that watch that master. No part of
// it is in an error: it may hold a password.
func connection(raw string) (rueidis.ClientOption, error) {
	opt := rueidis.ClientOption{
		ConnWriteTimeout: answerWithin,
		DisableCache:     true,
		// Else a lone caller's deadline becomes the connection's, and ends the calls of others on it.
		AlwaysPipelining: true,
		ClientName:       "twice",
	}
	opt.Dialer.Timeout, opt.Dialer.KeepAlive = 3*time.Second, time.Second
	wrong := func(detail, remedy string) (rueidis.ClientOption, error) {
		return opt, &queue.Error{Op: "open", Subject: "redis", Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy}
	}
	const form = "write redis://HOST:PORT/DB, or redis://HOST:PORT,HOST:PORT for a cluster"
	scheme, rest, found := strings.Cut(raw, "://")
	switch {
	case !found || (scheme != "redis" && scheme != "rediss"):
		return wrong("its URL does not begin with redis:// or rediss://", form)
	case scheme == "rediss":
		opt.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	rest, query, _ := strings.Cut(rest, "?")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, password, _ := strings.Cut(rest[:at], ":")
		var errs [2]error
		opt.Username, errs[0] = url.PathUnescape(user)
		opt.Password, errs[1] = url.PathUnescape(password)
		if errs[0] != nil || errs[1] != nil {
			return wrong("its name or password has a % that no two hexadecimal digits follow", "write %25 for a percent sign")
		}
		rest = rest[at+1:]
	}
	hosts, db, _ := strings.Cut(rest, "/")
	if db != "" {
		n, err := strconv.Atoi(db)
		if err != nil || n < 0 {
			return wrong(fmt.Sprintf("its database is %.20q, which is no number", db), form)
		}
		opt.SelectDB = n
	}
	for _, host := range strings.Split(hosts, ",") {
		if host == "" {
			return wrong("it names no host", form)
		}
		if !strings.Contains(host, ":") {
			host += ":6379"
		}
		opt.InitAddress = append(opt.InitAddress, host)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return wrong("its parameters cannot be read", "write ?name=value&name=value")
	}
	for name := range values {
		if name != "sentinel" {
			return wrong(fmt.Sprintf("it has no parameter %.40q", name), "the connection's only parameter is sentinel")
		}
	}
	if master := values.Get("sentinel"); master != "" {
		opt.Sentinel = rueidis.SentinelOption{MasterSet: master, Username: opt.Username, Password: opt.Password,
			TopologyRefreshInterval: 5 * time.Second} // a failover whose message was lost would not be noticed otherwise
	} else if len(opt.InitAddress) > 1 && opt.SelectDB != 0 {
		return wrong("a cluster has one database only", "leave the database out")
	}
	return opt, nil
}
