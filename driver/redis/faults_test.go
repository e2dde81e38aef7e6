package redis

import (
	flags "flag"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

var (
	killsFlag = flags.Int("kills", 3, "kills of a server under load")
	silentFor = flags.Duration("blackhole", 0, "how long a connection or a server stays silent, after the calls under way have ended")
)

// world is a server under load, which clients reach through a proxy.
type world struct {
	*toil
	server *redistest.Server
	proxy  *redistest.FaultProxy
}

// silence waits until calls under way have ended by themselves, and for the flag.
func (w *world) silence() {
	before := w.refused.Load()
	await(w.t, "calls under way end", func() bool { return w.refused.Load() >= before+4 })
	time.Sleep(*silentFor)
}

// faults are what may befall a server or the way to it.
var faults = []struct {
	name string
	with redistest.Options
	do   func(*world)
}{
	{"the server is restarted", redistest.Options{Persistence: redistest.EverySec}, func(w *world) {
		w.server.Stop()
		before := w.refused.Load()
		await(w.t, "somebody notices", func() bool { return w.refused.Load() > before })
		w.server.Restart()
	}},
	{"the server is killed", redistest.Options{Persistence: redistest.Always}, func(w *world) {
		for i := range *killsFlag {
			w.goesOn(int64(20 + 7*i%50))
			w.server.Restart()
		}
	}},
	{"the server loads its data", redistest.Options{Persistence: redistest.Always, Config: []string{"loading-process-events-interval-bytes 1024"}}, func(w *world) {
		w.server.Must("EVAL", "for i = 1, 500000 do redis.call('SET', 'k' .. i % 10, i) end", "0")
		loaded := make(chan struct{})
		go func() { w.server.Restart(); close(loaded) }()
		await(w.t, "it is loading", func() bool {
			_, err := w.server.Command("PING")
			return err != nil && strings.Contains(err.Error(), "LOADING")
		})
		<-loaded
	}},
	{"the server stops for a while", redistest.Options{}, func(w *world) {
		w.server.Freeze()
		w.silence()
		w.server.Thaw()
	}},
	{"the connections swallow everything", redistest.Options{}, func(w *world) {
		w.proxy.Blackhole()
		w.silence()
		w.proxy.Heal()
	}},
	{"the connections are cut", redistest.Options{}, func(w *world) {
		for range 20 {
			w.goesOn(10)
			w.proxy.Cut()
		}
	}},
	{"replies are lost", redistest.Options{}, func(w *world) {
		for n := w.proxy.Hits() + 30; w.proxy.Hits() < n; {
			hits := w.proxy.Hits()
			w.proxy.DropReplies("EVAL")
			await(w.t, "a reply is dropped", func() bool { return w.proxy.Hits() > hits })
			w.proxy.Heal()
			w.goesOn(1)
		}
	}},
	{"the server forgets its scripts", redistest.Options{}, func(w *world) {
		for range 20 {
			w.goesOn(10)
			w.server.Must("SCRIPT", "FLUSH")
		}
	}},
	{"somebody's script does not end", redistest.Options{Config: []string{"lua-time-limit 50"}}, func(w *world) {
		gone := make(chan error)
		go func() { _, err := w.server.Command("EVAL", "while true do end", "0"); gone <- err }()
		before := w.refused.Load() // it is refused only after some patience
		await(w.t, "calls are refused", func() bool { return w.refused.Load() > before })
		if w.mu.Lock(); w.reasons[queue.ErrUnavailable] == 0 {
			w.t.Error("not unavailable:", w.reasons)
		}
		w.mu.Unlock()
		w.server.Must("SCRIPT", "KILL")
		if err := <-gone; err == nil {
			w.t.Error("the script ended by itself")
		}
	}},
}

// Whatever befalls the server or the way to it, work goes on by itself within seconds of its end, no call hangs,
// nothing that was acknowledged is lost, and no job is done twice.
func TestWorkGoesOnAfter(t *testing.T) {
	redistest.Need(t)
	t.Parallel()
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, f.with)
			proxy := redistest.Proxy(t, server.Addr())
			w := &world{work(t, engine(t, proxy.URL(), Config{}), "q"), server, proxy}
			w.goesOn(100)
			f.do(w)
			t.Logf("work went on after %s", w.goesOn(1).Round(time.Millisecond))
			w.goesOn(100)
			w.whole()
			if longest := time.Duration(w.longest.Load()); longest > 15*time.Second {
				t.Errorf("a call took %s", longest)
			}
		})
	}
}

// A server that syncs every second loses, when it is killed, no more than what it says: the last two seconds.
func TestEverySecondLosesNoMoreThanItSays(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{Persistence: redistest.EverySec})
	e := engine(t, server.URL(), Config{})
	if said := e.Traits().Durability; !strings.Contains(said, "the last one to two seconds") || e.Traits().Durable {
		t.Error(said)
	}
	w := workFor(t, e, 2*time.Second, "q")
	w.goesOn(100)
	// A sync that takes long holds up those of what comes after it.
	server.Must("EVAL", "for i = 1, 300000 do redis.call('SET', 'k' .. i % 10, i) end", "0")
	w.goesOn(20)
	killed := time.Now()
	server.Restart()
	w.goesOn(100)
	var old []time.Time
	for _, id := range w.finish() {
		old = append(old, w.accepted[id])
	}
	for _, at := range append(old, w.twice...) {
		if killed.Sub(at) > 3*time.Second {
			t.Errorf("what had been acknowledged %s before was lost", killed.Sub(at))
		}
	}
	t.Logf("%d accepted jobs were lost, and %d ends", len(old), len(w.twice))
}
