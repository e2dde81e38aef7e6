package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
)

var recordScenes = flag.String("record-scenes", "", "play the scenes of `twice diagnose` for some minutes, and write what was said to this file")

// sick is a shop in which something is the matter, on processes of its own and at the default limits of time.
type sick struct {
	name      string
	want      diagnose.Verdict
	flags     []string                        // of its worker; nil: it has none
	prefixes  []string                        // of the orders that are placed, in turn
	perSecond int                             // orders
	gateway   func(*gateway.Client) error     // what the gateway does
	after     func(t *testing.T, s *sickShop) // once all runs
	atLast    bool                            // after comes just before the diagnosis: a worker that is silent for 30 s is forgotten by the engine
	restart   bool                            // a supervisor starts the worker again whenever it ends
}

type sickShop struct {
	engine string
	worker *exec.Cmd
	binary string
}

func (s *sickShop) twice(args ...string) ([]byte, error) {
	cmd := exec.Command(s.binary, args...)
	cmd.Env = append(os.Environ(), "TWICE_ENGINE="+s.engine)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if len(out) == 0 && err != nil {
		err = fmt.Errorf("%w: %s", err, errs.String())
	}
	return out, err
}

var sickShops = []sick{
	{name: "all is well", want: diagnose.Healthy, flags: []string{}, prefixes: []string{"good"}, perSecond: 3},
	{name: "a person paused the queue", want: diagnose.Paused, flags: []string{}, prefixes: []string{"good"}, perSecond: 3, after: func(t *testing.T, s *sickShop) {
		if _, err := s.twice("queue", "pause", "payments", "--who", "ada", "--why", "the gateway is being moved"); err != nil {
			t.Error(err)
		}
	}},
	{name: "no worker was started", want: diagnose.NoConsumer, prefixes: []string{"good"}, perSecond: 3},
	{name: "the worker was killed", want: diagnose.ConsumerDead, atLast: true, flags: []string{}, prefixes: []string{"good"}, perSecond: 3, after: func(t *testing.T, s *sickShop) {
		if err := s.worker.Process.Kill(); err != nil {
			t.Error(err)
		}
	}},
	{name: "handlers hang", want: diagnose.StuckHandler, flags: []string{"--fault", "late-=hang"}, prefixes: []string{"late"}, perSecond: 3},
	{name: "too few slots", want: diagnose.UnderProvisioned, flags: []string{"--concurrency", "4"}, prefixes: []string{"good"}, perSecond: 4,
		gateway: func(c *gateway.Client) error {
			return c.Control(context.Background(), gateway.Control{LatencyMS: 2000})
		}},
	{name: "the gateway is down", want: diagnose.DependencyDown, flags: []string{"--max-failures", "50", "--backoff", "300ms"}, prefixes: []string{"good"}, perSecond: 3,
		gateway: func(c *gateway.Client) error {
			return c.Control(context.Background(), gateway.Control{FailBefore: gateway.Aim{Rate: 1}})
		}},
	{name: "a few orders meet a bug", want: diagnose.Poison, flags: []string{"--max-failures", "200", "--backoff", "200ms", "--fault", "bad-=fail"}, prefixes: []string{"good"}, perSecond: 3},
	{name: "the worker dies on some orders", want: diagnose.CrashLoop, flags: []string{"--fault", "killer-=kill"}, prefixes: []string{"good", "good", "good", "killer"}, perSecond: 4, restart: true},
}

// What `twice diagnose` says of shops in which something is the matter, at its default limits of time. It takes some minutes,
// so it is played for the record: docs/evidence/record scenes.
func TestDiagnoseScenes(t *testing.T) {
	if *recordScenes == "" {
		t.Skip("it takes some minutes: ./docs/evidence/record scenes. The verdicts are tested in package diagnose")
	}
	var mu sync.Mutex
	told := map[string]string{}
	var all sync.WaitGroup
	for _, s := range sickShops { // all at once, whatever -parallel says: mostly they wait
		all.Go(func() {
			t.Run(s.name, func(t *testing.T) {
				text := s.play(t)
				mu.Lock()
				told[s.name] = text
				mu.Unlock()
			})
		})
	}
	all.Wait()
	var b strings.Builder
	b.WriteString("What twice diagnose says of the orders application, on processes of its own, while something is the matter: two minutes after it began, at the\ndefault limits of time, looking for 60 s. Made by ./docs/evidence/record scenes.\n")
	for _, s := range sickShops {
		fmt.Fprintf(&b, "\n=== %s\n%s", s.name, told[s.name])
	}
	if err := os.WriteFile(*recordScenes, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (s sick) play(t *testing.T) string {
	folder := t.TempDir()
	bank, err := gateway.New(gateway.Config{})
	if err != nil {
		t.Fatal(err)
	}
	pay := httptest.NewServer(bank)
	t.Cleanup(pay.Close)
	t.Cleanup(func() { _ = bank.Close() })
	post, err := mailsink.New(mailsink.Config{})
	if err != nil {
		t.Fatal(err)
	}
	smtp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = post.ServeSMTP(smtp) }()
	t.Cleanup(func() { _ = post.Close() })
	shop := &sickShop{engine: "sqlite:" + filepath.Join(folder, "orders.db"), binary: program(t)}
	outside := []string{"--engine", shop.engine, "--gateway", pay.URL, "--mail", smtp.Addr().String()}

	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close()
	url := "http://" + at
	api := exec.Command(shop.binary, append(append([]string{"serve"}, outside...), "--role", "api", "--listen", at)...)
	if err := api.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Process.Kill(); _ = api.Wait() })
	eventually(t, "the API answers", func() bool {
		resp, err := http.Get(url + "/livez")
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil
	})
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	t.Cleanup(func() { stop(); all.Wait() })
	place := func(reference string) {
		body := fmt.Sprintf(`{"reference":%q,"customer":"%s@customer.test","amount_cents":1234,"currency":"EUR"}`, reference, reference)
		if resp, err := http.Post(url+"/orders", "application/json", strings.NewReader(body)); err == nil {
			_ = resp.Body.Close()
		}
	}
	if s.flags != nil {
		shop.start(ctx, t, &all, append(append(outside, "--role", "worker"), s.flags...), s.restart)
		for n := range 20 { // what is usual
			place(fmt.Sprintf("usual-%d", n))
		}
		eventually(t, "what is usual is done", func() bool { return bank.State().Counts.Charges >= 20 })
	}
	if s.gateway != nil {
		client, err := gateway.NewClient(pay.URL, nil)
		if err == nil {
			err = s.gateway(client)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	all.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(s.perSecond))
		defer tick.Stop()
		for n := 0; ; n++ {
			place(fmt.Sprintf("%s-%d", s.prefixes[n%len(s.prefixes)], n))
			if s.want == diagnose.Poison && n%(30*s.perSecond) == 0 {
				place(fmt.Sprintf("bad-%d", n))
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	time.Sleep(5 * time.Second)
	if s.after != nil && !s.atLast {
		s.after(t, shop)
	}
	time.Sleep(time.Minute)
	if s.after != nil && s.atLast {
		s.after(t, shop)
	}
	raw, err := shop.twice("diagnose", "payments", "--for", "60s", "--json")
	var found []diagnose.Finding
	if jsonErr := json.Unmarshal(raw, &found); jsonErr != nil || len(found) != 1 {
		t.Fatalf("%v %v: %s", err, jsonErr, raw)
	}
	f := found[0]
	if f.Verdict != s.want {
		t.Errorf("said %s, want %s: %s", f.Verdict, s.want, f.Says)
	}
	if status := map[bool]int{true: 0, false: 1}[f.Well]; exitStatus(err) != status {
		t.Errorf("exit status %d, want %d", exitStatus(err), status)
	}
	return fmt.Sprintf("exit status %d\n%s", exitStatus(err), raw)
}

func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return -1
}

// start starts the worker, and again whenever it ends where there is a supervisor.
func (s *sickShop) start(ctx context.Context, t *testing.T, all *sync.WaitGroup, args []string, again bool) {
	t.Helper()
	begin := func() error {
		s.worker = exec.Command(s.binary, append([]string{"serve"}, args...)...)
		return s.worker.Start()
	}
	if err := begin(); err != nil {
		t.Fatal(err)
	}
	all.Go(func() {
		for {
			ended := make(chan error, 1)
			worker := s.worker
			go func() { ended <- worker.Wait() }()
			select {
			case <-ctx.Done():
				_ = worker.Process.Kill()
				<-ended
				return
			case <-ended:
			}
			if !again || ctx.Err() != nil || begin() != nil {
				return
			}
		}
	})
}
