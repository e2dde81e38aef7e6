package gateway_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
)

func TestRestartKeepsListAndKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "charges.jsonl")
	s, c, _ := start(t, gateway.Config{File: file})
	first := charge(t, c, "k1", "o-1", 1)
	charge(t, c, "k2", "o-2", 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// What a process killed in mid-write leaves behind.
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"ch_000`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	_, c, _ = start(t, gateway.Config{File: file})
	if again := charge(t, c, "k1", "o-1", 1); again != first {
		t.Errorf("after restart: %+v, want %+v", again, first)
	}
	third := charge(t, c, "k3", "o-3", 3)
	if all := list(t, c); len(all) != 3 || all[0] != first || all[2] != third {
		t.Errorf("after restart the list is %+v", all)
	}
	_, c, _ = start(t, gateway.Config{File: file})
	if all := list(t, c); len(all) != 3 || all[2] != third {
		t.Errorf("after the second restart the list is %+v", all)
	}
}

func TestRestartKeepsForgottenKeysForgotten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "charges.jsonl")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	s, c, _ := start(t, gateway.Config{File: file, KeyLife: time.Hour, Now: clock})
	charge(t, c, "k", "o", 1)
	now = now.Add(2 * time.Hour)
	second := charge(t, c, "k", "o", 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, c, _ = start(t, gateway.Config{File: file, KeyLife: time.Hour, Now: clock})
	if again := charge(t, c, "k", "o", 1); again != second {
		t.Errorf("the key stands for %+v, want %+v", again, second)
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, row := range map[string]struct {
		path string
		says []string
	}{
		"corrupt line": {write("a", "{\"id\":\"ch_00000001\",\"key\":\"k\"}\nnonsense\n"), []string{"line 2", "is not a charge", "repair"}},
		"gap":          {write("b", "{\"id\":\"ch_00000002\",\"key\":\"k\"}\n"), []string{"line 1", "ch_00000001"}},
		"no charges":   {write("c", strings.Repeat("\x00", 10_000)), []string{"line 1", "move it away"}},
		"directory":    {dir, []string{"directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := gateway.New(gateway.Config{File: row.path})
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), append(row.says, "gateway: new")...)
		})
	}
}

func TestConfigNamesEverythingWrong(t *testing.T) {
	_, err := gateway.New(gateway.Config{KeyLife: -1, MaxBody: -1, PageSize: 2000, MaxHeld: -1, MaxCharges: -1})
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "KeyLife", "MaxBody", "PageSize", "MaxHeld", "MaxCharges")
}
