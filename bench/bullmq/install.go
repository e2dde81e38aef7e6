package bullmq

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

var (
	//go:embed package.json
	manifest []byte
	//go:embed package-lock.json
	lock []byte
)

// version is BullMQ's.
func version() string {
	var m struct{ Dependencies map[string]string }
	_ = json.Unmarshal(manifest, &m)
	return m.Dependencies["bullmq"]
}

// node is Node's version.
var node = sync.OnceValue(func() string {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return "(missing)"
	}
	return strings.TrimSpace(string(out))
})

// Install gives the folder of the modules that package-lock.json names. Where they are missing, `npm ci` fetches them
// into the user's cache, without running scripts of theirs.
func Install(ctx context.Context) (modules string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, fmt.Sprintf("twice-bench/bullmq-%.8x", sha256.Sum256(append(manifest, lock...))))
	modules = filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "fresh-") // another process may be doing the same
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	for name, b := range map[string][]byte{"package.json": manifest, "package-lock.json": lock} {
		if err := os.WriteFile(filepath.Join(fresh, name), b, 0o644); err != nil {
			return "", err
		}
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("bullmq: npm ci, which needs Node and the npm registry: %w\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Stat(modules); there != nil {
			return "", err
		}
	}
	return modules, nil
}
