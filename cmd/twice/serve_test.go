package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/httpapi"
)

// outside starts a gateway and a mail server.
func outside(t *testing.T) (bank *gateway.Server, post *mailsink.Server, flags []string) {
	t.Helper()
	bank, err := gateway.New(gateway.Config{})
	if err != nil {
		t.Fatal(err)
	}
	pay := httptest.NewServer(bank)
	t.Cleanup(pay.Close)
	t.Cleanup(func() { _ = bank.Close() })
	if post, err = mailsink.New(mailsink.Config{}); err != nil {
		t.Fatal(err)
	}
	smtp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = post.ServeSMTP(smtp) }()
	t.Cleanup(func() { _ = post.Close() })
	return bank, post, []string{"--gateway", pay.URL, "--mail", smtp.Addr().String()}
}

// served is a process of `twice serve`.
type served struct {
	t   *testing.T
	cmd *exec.Cmd
	log *bufio.Scanner
}

// serve starts one. It is killed when it outlives every patience, so that what never comes fails the test.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"serve"}, args...)...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	patience := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { patience.Stop(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &served{t, cmd, bufio.NewScanner(log)}
}

// says reads the log up to a message. Every line of it must be JSON.
func (s *served) says(message string) map[string]any {
	s.t.Helper()
	for s.log.Scan() {
		var line map[string]any
		if err := json.Unmarshal(s.log.Bytes(), &line); err != nil {
			s.t.Fatalf("a line of the log is not JSON: %s", s.log.Text())
		}
		if line["msg"] == message {
			return line
		}
	}
	s.t.Fatalf("the log ended without %q", message)
	return nil
}

// ends sends SIGTERM and checks that the process ends in order in time.
func (s *served) ends(within time.Duration) {
	s.t.Helper()
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	s.says("ended in order")
	if err := s.cmd.Wait(); err != nil || time.Since(began) > within {
		s.t.Errorf("it ended after %s with %v", time.Since(began), err)
	}
}

// health asks a process how its worker does; false unless it says that it lives.
func health(livez string) (got orders.Health, live bool) {
	resp, err := http.Get("http://" + livez + "/livez")
	if err != nil {
		return got, false
	}
	defer func() { _ = resp.Body.Close() }()
	return got, json.NewDecoder(resp.Body).Decode(&got) == nil && resp.StatusCode == http.StatusOK
}

func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

// An order over HTTP is charged and mailed by one process that runs everything, which ends in order.
func TestServe(t *testing.T) {
	t.Parallel()
	bank, post, flags := outside(t)
	s := serve(t, append(flags, "--engine", "sqlite:"+filepath.Join(t.TempDir(), "orders.db"), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--grace", "5s")...)
	if line := s.says("engine opened"); !strings.Contains(line["durability"].(string), "fsynced") || line["durable"] != true {
		t.Errorf("it promises %v", line)
	}
	line := s.says("serving")
	admin := "http://" + line["admin"].(string)
	url := "http://" + line["api"].(string)
	if line["roles"] != "api,worker,scheduler,admin" {
		t.Errorf("it runs %v", line["roles"])
	}
	resp, err := http.Post(url+"/orders", "application/json", strings.NewReader(`{"reference":"ada-1","customer":"ada@customer.test","amount_cents":1234,"currency":"EUR"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	eventually(t, "charged", func() bool { return bank.State().Counts.Charges == 1 })
	eventually(t, "mailed", func() bool { return post.State().Counts.Accepted == 1 })
	if resp, err = http.Get(url + "/livez"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("/livez: %v %v", resp, err)
	}
	_ = resp.Body.Close()
	forOperators(t, admin)
	s.ends(5 * time.Second)
	if bank.State().Counts.Calls != 1 || post.State().Counts.Mails != 1 {
		t.Errorf("%+v %+v", bank.State().Counts, post.State().Counts)
	}
}

// forOperators checks what is shown of a shop that has charged and mailed one order.
func forOperators(t *testing.T, admin string) {
	t.Helper()
	api, err := httpapi.NewClient(admin, httpapi.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.Ready(t.Context()); err != nil {
		t.Error("it is not ready:", err)
	}
	eventually(t, "the verdicts are there", func() bool {
		f, err := api.Verdict(t.Context(), "payments")
		return err == nil && f.Well
	})
	want := []string{"twice_up 1", `twice_queue_jobs{queue="payments",scope="engine",state="done"}`, `twice_jobs_ended_total{kind="orders.charge",outcome="done",queue="payments"} 1`,
		`twice_enqueued_total{kind="orders.charge",queue="payments",status="accepted"} 1`, `twice_worker_slots{state="free"} 10`}
	var scrape string
	eventually(t, "the metrics tell of it", func() bool {
		resp, err := http.Get(admin + "/metrics")
		if err != nil {
			return false
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		scrape = string(body)
		return resp.StatusCode == http.StatusOK && !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(scrape, line) })
	})
	if t.Failed() {
		t.Log(scrape)
	}
}

// A process with workers alone tells how they are.
func TestServeWorkerTellsItsHealth(t *testing.T) {
	t.Parallel()
	_, _, flags := outside(t)
	s := serve(t, append(flags, "--engine", "sqlite:"+filepath.Join(t.TempDir(), "orders.db"), "--role", "worker", "--livez", "127.0.0.1:0", "--concurrency", "3")...)
	at := s.says("serving")["livez"].(string)
	var got orders.Health
	eventually(t, "live", func() (live bool) {
		got, live = health(at)
		return live
	})
	if got.Worker == nil || got.Worker.Slots != 3 || got.Worker.Deaf != 0 || got.Status != "ok" {
		t.Errorf("%+v", got)
	}
	s.ends(5 * time.Second)
}

// --until-eof ties a process to its parent.
func TestServeUntilEOF(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(program(t), "serve", "--role", "scheduler", "--until-eof", "--engine", "sqlite:"+filepath.Join(t.TempDir(), "orders.db"))
	cmd.Stdin = strings.NewReader("")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("ended in order")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// Everything that is wrong is told at once, before anything is opened.
func TestServeBadInput(t *testing.T) {
	r := newRig(t)
	r.run("serve").ends(exitUsage).says("payment gateway", "mail server", "do:")
	r.run("serve", "--role", "api,clerk", "--lease", "0s", "--grace=-1s", "--concurrency", "0", "--fault", "x", "--reconcile", "now", "--settling=-1s").ends(exitUsage).
		says("clerk", "--lease", "--grace", "--concurrency", "PREFIX=MISDEED", "--reconcile", "--settling")
	r.run("serve", "--receipt-doubt", "guess").ends(exitUsage).says("park")
	r.run("serve", "--role", "api", "--engine", "memory:").ends(exitUsage).says("TWICE_LEDGER")
	if len(r.urls) != 1 {
		t.Errorf("opened: %v", r.urls)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	cmd := exec.Command(program(t), "serve", "--role", "api", "--listen", busy.Addr().String(), "--engine", "sqlite:"+filepath.Join(t.TempDir(), "orders.db"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitUsage || !bytes.Contains(out, []byte("--listen")) {
		t.Errorf("%v\n%s", err, out)
	}
}
