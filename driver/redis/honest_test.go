package redis

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

func TestServersThatCannotKeepJobsAreRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		s    Server
		says string // with its remedy; empty: it is well
	}{
		{Server{Version: "6.2.0", Eviction: "noeviction"}, ""},
		{Server{Version: "7.0.15", Eviction: "noeviction"}, ""},
		{Server{Version: "10.1.2", Eviction: "noeviction"}, ""},
		{Server{}, ""}, // it says nothing
		{Server{Version: "6.0.16", Eviction: "noeviction"}, "use 6.2 or later"},
		{Server{Version: "5.0.9", Eviction: "noeviction"}, "use 6.2 or later"},
		{Server{Version: "7.0.15", Eviction: "allkeys-lru"}, "set maxmemory-policy noeviction"},
		{Server{Version: "7.0.15", Eviction: "volatile-ttl"}, "set maxmemory-policy noeviction"},
	} {
		err := row.s.check("host:1")
		if row.says == "" && err != nil || row.says != "" && (!errors.Is(err, queue.ErrSchema) || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "host:1")) {
			t.Errorf("%+v: %v", row.s, err)
		}
	}
}

// What an engine says of its server, by how that is set up.
func TestDurabilityIsWhatTheServerKeeps(t *testing.T) {
	redistest.Need(t)
	t.Parallel()
	for _, row := range []struct {
		name    string
		with    redistest.Options
		durable bool
		says    string
	}{
		{"none", redistest.Options{}, false, "the end of this server loses everything"},
		{"snapshots", redistest.Options{Config: []string{"save 3600 1"}}, false, "loses all since the last one"},
		{"every second", redistest.Options{Persistence: redistest.EverySec}, false, "may lose the last one to two seconds"},
		{"as the system likes", redistest.Options{Persistence: redistest.EverySec, Config: []string{"appendfsync no"}}, false, "may lose the last half minute"},
		{"always", redistest.Options{Persistence: redistest.Always}, true, "survives a crash and a power cut"},
		{"CONFIG was renamed", redistest.Options{Persistence: redistest.Always, Config: []string{`rename-command CONFIG ""`}}, false, "does not say when it is fsynced"},
		{"CONFIG was renamed, no append-only file", redistest.Options{Config: []string{`rename-command CONFIG ""`}}, false, "its end may lose everything"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			traits := engine(t, redistest.Start(t, row.with).URL(), Config{}).Traits()
			if traits.Durable != row.durable || !strings.Contains(traits.Durability, row.says) || !strings.Contains(traits.Durability, "Redis ") {
				t.Errorf("durable %v: %s", traits.Durable, traits.Durability)
			}
		})
	}
}

// An evicting server is refused, also by a user who may not use CONFIG; another serves that user.
func TestAnEvictingServerIsRefused(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{MaxMemory: "50mb", Policy: "allkeys-lru"})
	server.Must("ACL", "SETUSER", "app", "on", ">p%w", "~*", "&*", "+@all", "-config")
	urls := []string{server.URL(), "redis://app:p%25w@" + server.Addr()}
	for _, url := range urls {
		_, err := Open(t.Context(), url, Config{Logger: quiet})
		if !errors.Is(err, queue.ErrSchema) || !strings.Contains(err.Error(), "allkeys-lru") || !strings.Contains(err.Error(), "set maxmemory-policy noeviction") {
			t.Error(err)
		}
	}
	server.Must("CONFIG", "SET", "maxmemory-policy", "noeviction")
	for i, url := range urls {
		e := engine(t, url, Config{})
		if got := e.Server(); got.Eviction != "noeviction" || got.Role != "master" || (got.Fsync == "") != (i == 1) {
			t.Errorf("%+v", got)
		}
		if _, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "1"}); err != nil {
			t.Error(err)
		}
	}
	_, err := Open(t.Context(), "redis://app:wrong@"+server.Addr(), Config{Logger: quiet})
	if !errors.Is(err, queue.ErrInvalid) || strings.Contains(err.Error(), "app:") {
		t.Error("a wrong password:", err)
	}
}

// A reply that is lost after the script ran is an unknown outcome, and the same call again is answered as the first
// would have been.
func TestALostReplyIsAnUnknownOutcomeAndItsRepeatIsSafe(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	proxy := redistest.Proxy(t, server.Addr())
	e := engine(t, proxy.URL(), Config{})
	ctx := t.Context()
	job := func(key string) queue.Job { return queue.Job{Queue: "q", Kind: "k", Key: key} }
	// lost calls twice: the first call's reply is dropped.
	lost := func(what string, fn func() error) {
		t.Helper()
		proxy.DropReplies("EVALSHA")
		err := fn()
		proxy.Heal()
		if !errors.Is(err, queue.ErrUnknownOutcome) {
			t.Errorf("%s: the reply was lost: %v", what, err)
		}
		if err := fn(); err != nil {
			t.Errorf("%s again: %v", what, err)
		}
	}
	finish := func(l queue.Lease) queue.Settlement {
		return queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: "no", Next: []queue.Job{job("next")}}
	}
	for _, round := range []string{"the server learns the scripts", "their replies are lost"} {
		call := func(what string, fn func() error) {
			t.Helper()
			if round == "their replies are lost" {
				lost(what, fn)
			} else if err := fn(); err != nil {
				t.Fatal(what, err)
			}
		}
		var receipts []queue.Receipt
		call("enqueue", func() (err error) { receipts, err = e.Enqueue(ctx, job(round), job(round+" 2")); return err })
		if round == "their replies are lost" && (receipts[0].Status != queue.Duplicate || receipts[1].Status != queue.Duplicate) {
			t.Errorf("%+v", receipts)
		}
		req := claimOf(2)
		var leases []queue.Lease
		call("claim", func() (err error) { leases, err = e.Claim(ctx, req); return err })
		if len(leases) != 2 || leases[0].Token != 1 {
			t.Fatalf("%+v", leases)
		}
		again, err := e.Claim(ctx, req)
		for _, some := range [][]queue.Lease{leases, again} { // in whatever order
			slices.SortFunc(some, func(a, b queue.Lease) int { return strings.Compare(a.Job.Key, b.Job.Key) })
		}
		if err != nil || !reflect.DeepEqual(again, leases) {
			t.Errorf("%v: %+v\n%+v", err, again, leases)
		}
		call("extend", func() error {
			errs, err := e.Extend(ctx, time.Hour, leases...)
			return errors.Join(append(errs, err)...)
		})
		call("settle", func() error {
			errs, err := e.Settle(ctx, finish(leases[0]), queue.Settlement{Lease: leases[1], State: queue.Done, Outcome: queue.OutcomeDone})
			return errors.Join(append(errs, err)...)
		})
		rec, err := e.Job(ctx, leases[0].Job.ID)
		if err != nil || rec.Counts.Failures != 1 || rec.Token != 1 || rec.State != queue.Queued {
			t.Errorf("%v: %+v", err, rec)
		}
		rest := claimOf(10) // what waits would be in the next round's way
		rest.Wait = 0
		left, err := e.Claim(ctx, rest)
		for _, l := range left {
			_, err = e.Settle(ctx, queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	books, err := e.Audit(ctx)
	if err != nil || len(books) != 1 || books[0].Accepted != 5 || books[0].Missing() != 0 || books[0].Found.Done != 5 {
		t.Errorf("%v: %+v", err, books)
	}
}
