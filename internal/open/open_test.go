package open

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

func TestEngine(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for url, name := range map[string]string{
		"memory:":                      "memory",
		"memory:?unique_for=1h":        "memory",
		"sqlite:" + dir + "/a.db":      "sqlite",
		"sqlite://" + dir + "/b.db":    "sqlite",
		"SQLite:" + dir + "/c%20d.db":  "sqlite",
		"sqlite:" + dir + "/e@f:g.db":  "sqlite",
		"sqlite:" + dir + "/a.db?x=":   "",
		"sqlite:" + dir + "/none/a.db": "",
	} {
		e, err := Engine(ctx, url)
		if (name == "") != (err != nil) {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if err == nil {
			if got := e.Traits().Name; got != name {
				t.Errorf("%s opened a %s", url, got)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, file := range []string{"a.db", "b.db", "c d.db", "e@f:g.db"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Errorf("%s was not made: %v", file, err)
		}
	}
}

func TestParametersReachTheEngine(t *testing.T) {
	e, err := Engine(context.Background(), "sqlite:"+t.TempDir()+"/a.db?unique_for=2h&keep_for=1000h&max_payload=9000&busy_timeout=1s&synchronous=normal")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	got := e.Traits()
	if got.UniqueFor != 2*time.Hour || got.KeepFor != 1000*time.Hour || got.MaxPayload != 9000 || !strings.Contains(got.Durability, "NORMAL") {
		t.Errorf("traits: %+v", got)
	}
}

func TestExistingMakesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	if _, err := Existing(context.Background(), "sqlite:"+path); !errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it made the file: %v", err)
	}
	e, err := Engine(context.Background(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	_ = e.Close()
	if e, err = Existing(context.Background(), "sqlite:"+path); err != nil {
		t.Fatal(err)
	}
	_ = e.Close()
}

// Every refusal has its reason, says everything at once, and shows no password.
func TestRefusals(t *testing.T) {
	const secret = "hunter2"
	for _, c := range []struct {
		url    string
		reason error
		says   []string
	}{
		{"", queue.ErrInvalid, []string{"empty"}},
		{"jobs.db", queue.ErrInvalid, []string{"sqlite:jobs.db"}},
		{"mysql://u:hunter2@host/db", queue.ErrInvalid, []string{"not shown"}},
		{"host=x password=hunter2", queue.ErrInvalid, nil},
		{"user:hunter2@host", queue.ErrInvalid, nil},
		{"\x1b[31m:hunter2", queue.ErrInvalid, nil},
		{"redis://u:hunter2@host:6379/0?x=hunter2", queue.ErrInvalid, []string{"redis://xxxxx@host:6379/0", `"x"`}},
		{"rediss://:hunter2@host?min_replicas=-1&unique_for=no", queue.ErrInvalid, []string{"rediss://xxxxx@host", "min_replicas", "unique_for"}},
		{"postgres://u:hunter2/@?#@host/db?password=hunter2", ErrVersion, []string{"postgres://xxxxx@host/db"}},
		{"postgres:host=x password=hunter2", ErrVersion, []string{"postgres:…"}},
		{"postgresql://u:%zzhunter2@host/db", ErrVersion, []string{"xxxxx@host/db"}},
		{"sqs://key:hunter2@eu-west-1/q", ErrVersion, []string{"no sqs engine yet"}},
		{"kafka://u:hunter2@a:1,b:2/topic", ErrVersion, []string{"a:1,b:2/topic"}},
		{"bullmq://u:hunter2@host", ErrVersion, nil},
		{"memory:x", queue.ErrInvalid, []string{"memory: alone"}},
		{"memory:?busy_timeout=1s", queue.ErrInvalid, []string{"busy_timeout", "unique_for, keep_for, max_payload"}},
		{"sqlite:", queue.ErrInvalid, []string{"no file"}},
		{"sqlite::memory:", queue.ErrInvalid, []string{"no file", "memory:"}},
		{"sqlite://host/a.db", queue.ErrInvalid, []string{"host"}},
		{"sqlite:a%zz.db", queue.ErrInvalid, []string{"%25"}},
		{"sqlite:a%00.db", queue.ErrInvalid, []string{"NUL"}},
		{"sqlite:a.db?password=hunter2", queue.ErrInvalid, []string{`"password"`}},
		{"sqlite:a.db?unique_for=1h&unique_for=2h", queue.ErrInvalid, []string{"2 times"}},
		{"sqlite:a.db?a;b", queue.ErrInvalid, []string{"cannot be read"}},
		{"sqlite:?mode=ro&busy_timeout=0&keep_for=soon&max_payload=-1&synchronous=off", queue.ErrInvalid,
			[]string{`"mode"`, "busy_timeout", "keep_for", "max_payload", "synchronous", "no file"}},
	} {
		for what, err := range map[string]error{"engine": second(Engine(context.Background(), c.url)), "migrations": second(Migrations(c.url))} {
			if strings.HasPrefix(c.url, "memory:") && what == "migrations" {
				continue
			}
			if !errors.Is(err, c.reason) {
				t.Errorf("%s of %q: %v", what, c.url, err)
				continue
			}
			var e *queue.Error
			if errors.As(err, &e) && e.Remedy == "" && e.Cause == nil {
				t.Errorf("%s of %q: no remedy: %v", what, c.url, err)
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%s of %q does not say %q: %v", what, c.url, text, err)
				}
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s of %q shows the password: %v", what, c.url, err)
			}
		}
		if shown := Redacted(c.url); strings.Contains(shown, secret) {
			t.Errorf("redacted: %s", shown)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestLedger(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	url := "sqlite:" + dir + "/jobs.db"
	e, err := Engine(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ledgerOf := func(url string) (ledger.Store, func() error) {
		t.Helper()
		store, closing, err := Ledger(ctx, e, url)
		if err != nil || store == nil {
			t.Fatalf("%q: %v, %v", url, store, err)
		}
		return store, closing
	}
	for _, u := range []string{"", url} {
		_, closing := ledgerOf(u)
		if err := errors.Join(closing(), e.Ping(ctx)); err != nil {
			t.Errorf("closing the engine's own ledger closed the engine: %v", err)
		}
	}
	if _, _, err := Ledger(ctx, e, "sqlite:"+dir+"/app.db"); !errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("a ledger that is not there: %v", err)
	}
	app, err := sqlite.Open(dir+"/app.db", sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_ = app.Close()
	store, closing := ledgerOf("sqlite:" + dir + "/app.db")
	if _, err := store.Seal(ctx, queue.NewID("k", "x"), 1); err != nil {
		t.Error(err)
	}
	if err := closing(); err != nil {
		t.Error(err)
	}
	if _, _, err := Ledger(ctx, e, "memory:"); !errors.Is(err, queue.ErrInvalid) {
		t.Errorf("a ledger in memory: %v", err)
	}
	if _, _, err := Ledger(ctx, e, "postgres://u:hunter2@h/db"); !errors.Is(err, ErrVersion) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	mem, err := Engine(ctx, "memory:")
	if err != nil {
		t.Fatal(err)
	}
	if store, _, err := Ledger(ctx, mem, ""); err != nil || store == nil {
		t.Errorf("the memory engine's own: %v, %v", store, err)
	}
}
