// Package archtest holds the tree to its architecture: who may import whom, and why.
package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/twicehq/twice"

// rule says what the packages below a folder may import of ours. A target ending in /... is a folder with all
// below it; "." is the root package, "" nothing.
type rule struct {
	folder string
	may    []string
	why    string
}

// rules are tried in order: the first whose folder holds a package is its rule.
var rules = []rule{
	{"queue/queuetest", []string{"queue", "queue/queuetest/..."}, "a suite knows the contract and no engine"},
	{"queue", nil, "the contract stands by itself, so that a driver needs nothing else"},
	{"ledger/ledgertest", []string{"ledger", "ledger/ledgertest/...", "queue"}, "a suite knows the contract and no store"},
	{"ledger", []string{"queue"}, "effects are fenced by the lease in a context, and by nothing of an engine"},
	{".", []string{"queue"}, "typed jobs are made of the contract alone"},
	{"driver/memory", []string{"queue", "ledger"}, "a driver knows the contracts and no other driver"},
	{"driver/redis", []string{"queue", "ledger"}, "a driver knows the contracts and no other driver"},
	{"driver/sqlite/internal/rig", nil, "it only describes an SQLite"},
	{"driver/sqlite/faultdisk", []string{"driver/sqlite/internal/rig"}, "a disk for tests: it knows no queue"},
	{"driver/sqlite/diskproof", []string{"queue", "ledger", "driver/sqlite", "driver/sqlite/faultdisk", "driver/sqlite/internal/rig"},
		"campaigns that only this engine can fight, since they break what it keeps its files on"},
	{"driver/sqlite", []string{"queue", "ledger", "driver/sqlite/internal/rig"}, "a driver knows the contracts and no other driver; a rig, so that its disk can be broken"},
	{"worker", []string{".", "queue", "ledger"}, "the runtime works on any engine"},
	{"cron", []string{".", "queue"}, "a schedule makes jobs and works on any engine"},
	{"proof/ground", []string{"queue", "ledger", "driver/redis", "driver/sqlite", "driver/sqlite/diskproof", "proof/campaign", "internal/faultproxy", "internal/redistest/server"},
		"the one part of the proof that knows engines by name: it makes fresh stores and attacks what they have"},
	{"proof/prove", []string{".", "queue", "ledger", "worker", "cron", "driver/memory", "proof/..."}, "it runs what the proof consists of, on a ground that it is given"},
	{"proof", []string{".", "queue", "ledger", "worker", "cron", "driver/memory", "proof/..."}, "the kit is given its engine"},
	{"metrics/prom", []string{"metrics"}, "a library that shows metrics reads them, and no event touches it"},
	{"metrics/otelmetrics", []string{"metrics"}, "a library that shows metrics reads them, and no event touches it"},
	{"tracing", []string{".", "queue", "worker"}, "spans are made around enqueues and handlers, on any engine"},
	{"metrics", []string{"queue", "worker"}, "what is counted comes from events and from counts, on any engine"},
	{"diagnose", []string{"queue", "metrics"}, "a verdict is a function of samples: it knows nothing of how they came about"},
	{"httpapi", []string{".", "queue", "ledger", "cron", "metrics", "diagnose"}, "routes only translate: what they do is in the packages that they call"},
	{"dashboard", []string{"httpapi"}, "a page shows what the API answers, and nothing else"},
	{"internal/open", []string{"queue", "ledger", "driver/memory", "driver/redis", "driver/sqlite"}, "the one place that knows every driver"},
	{"internal/loadtest", []string{".", "queue", "ledger", "worker", "internal/loadtest/..."}, "load is made through the public packages, on any engine"},
	{"outbox", []string{"queue"}, "jobs move between any two engines"},
	{"internal/install", []string{"internal/browsertest/chromium", "internal/redistest/server"}, "it installs what tests start, found as they find it"},
	{"internal/browsertest", []string{"internal/browsertest/..."}, "a browser for tests: it knows no page"},
	{"internal/faultproxy", nil, "it breaks connections, of whatever goes over them"},
	{"internal/redistest", []string{"internal/redistest/...", "internal/faultproxy"}, "servers for tests: they know no queue"},
	{"internal/archtest", nil, "it reads files"},
	{"examples/orders/gateway", nil, "a payment provider knows nothing of its customers' queues"},
	{"examples/orders/mailsink", nil, "a mail server knows nothing of its senders' queues"},
	{"examples/orders/store", []string{"examples/orders/service", "queue", "ledger"}, "data access serves the services, in one transaction with jobs and effects"},
	{"examples/orders/service", []string{".", "queue", "ledger", "examples/orders/gateway", "examples/orders/mailsink"},
		"business logic knows neither routes nor processors, and no engine"},
	{"examples/orders/api", []string{".", "queue", "examples/orders/service"}, "routes only translate: they know services, no engine and no processor"},
	{"examples/orders/jobs", []string{".", "queue", "worker", "cron", "ledger", "examples/orders/service"}, "processors only translate: they know services, no routes"},
	{"examples/orders/proved", []string{".", "queue", "ledger", "driver/sqlite", "outbox", "proof", "examples/orders/..."}, "the application under the proof kit"},
	{"examples", []string{".", "queue/...", "ledger/...", "worker", "cron", "outbox", "diagnose", "metrics/...", "tracing", "driver/memory", "driver/redis", "driver/sqlite", "internal/open", "examples/..."}, "an application uses what is public"},
	{"cmd", []string{".", "queue", "ledger", "worker", "cron", "outbox", "driver/memory", "driver/redis", "driver/sqlite", "metrics/...", "tracing", "diagnose", "httpapi", "dashboard", "proof/...", "internal/open", "internal/loadtest/...", "examples/orders/..."}, "the binary wires everything"},
}

func (r rule) holds(folder string) bool {
	if r.folder == "." {
		return folder == "."
	}
	return folder == r.folder || strings.HasPrefix(folder, r.folder+"/")
}

func (r rule) allows(from, to string) bool {
	if from == to {
		return true
	}
	return slices.ContainsFunc(r.may, func(m string) bool {
		if below, ok := strings.CutSuffix(m, "/..."); ok {
			return to == below || strings.HasPrefix(to, below+"/")
		}
		return to == m
	})
}

// imports gives, for each package folder, what its files import of ours. Files are parsed, since what the go command
// answers would be cached with the test's result.
func imports(t *testing.T, root string, of func(name string) bool) map[string]map[string]string {
	found := map[string]map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root {
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") {
					return filepath.SkipDir // another module, or none
				}
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || !of(d.Name()) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		if found[folder] == nil {
			found[folder] = map[string]string{}
		}
		for _, spec := range file.Imports {
			if to, ok := ours(spec); ok {
				found[folder][to] = filepath.Base(path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func ours(spec *ast.ImportSpec) (string, bool) {
	path, _ := strconv.Unquote(spec.Path.Value)
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func moduleRoot(t *testing.T) string {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestImports(t *testing.T) {
	all := imports(t, moduleRoot(t), func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	if len(all) < 5 {
		t.Fatalf("found %d packages: the walk is broken", len(all))
	}
	for _, breach := range breaches(all) {
		t.Error(breach)
	}
}

func breaches(all map[string]map[string]string) (found []string) {
	for folder, targets := range all {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.holds(folder) })
		if i < 0 {
			found = append(found, folder+" has no rule: say in archtest what it may import, and why")
			continue
		}
		for to, file := range targets {
			if !rules[i].allows(folder, to) {
				found = append(found, folder+"/"+file+" imports "+to+", but "+rules[i].why)
			}
		}
	}
	slices.Sort(found)
	return found
}

// TestBreachIsFound is the control: an architecture test that cannot fail proves nothing.
func TestBreachIsFound(t *testing.T) {
	for from, to := range map[string]string{
		"queue": "driver/sqlite", "driver/sqlite": "driver/memory", "driver/sqlite/faultdisk": "driver/sqlite", "worker": "driver/sqlite",
		"examples/orders/api": "examples/orders/jobs", "examples/orders/service": "examples/orders/api", "examples/orders/gateway": "queue",
		"nowhere": "queue",
	} {
		if len(breaches(map[string]map[string]string{from: {to: "x.go"}})) != 1 {
			t.Errorf("%s importing %s is not found", from, to)
		}
	}
}
