package explore_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/twicehq/twice/proof/explore"
)

var record = flag.Bool("record", false, "ask spin for the model's numbers, and write docs/evidence/explorer.txt")

const (
	model    = "../model/pipeline.pml"
	evidence = "../../docs/evidence/explorer.txt"
)

// What the explorer found is in the repository as it is found now. Its numbers of the model are of the model as it is
// now: where that changed, they must be asked of spin again.
func TestEvidence(t *testing.T) {
	source, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, fmt.Sprintf("%x", sha256.Sum256(source)))
	if *record && !t.Failed() {
		for _, l := range lives {
			asks(t, l)
		}
		if !t.Failed() {
			err = os.WriteFile(evidence, []byte(text), 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(evidence)
	if err != nil || string(old) != text {
		t.Errorf("docs/evidence/explorer.txt is stale (%v): go test ./proof/explore -run TestEvidence -record (spin and a C compiler)", err)
	}
}

func written(t *testing.T, sum string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Recorded by: go test ./proof/explore -run TestEvidence -record\n\nThe memory engine's rows against the protocol's. Every action is tried on every row within bounds.\n")
	for _, b := range bounds {
		report := explored(t, b.Bounds)
		fmt.Fprintf(&out, "  %-36s %5d rows, the protocol %5d; %6d steps tried, 0 differ\n", b.name, report.Rows, explore.Protocol(b.Bounds), report.Steps)
	}
	fmt.Fprintf(&out, "\nThe states of two workers, an operator, faults and data around the memory engine, against those of the model\n(proof/model/pipeline.pml, SHA-256 %.16s…), counted by:\n  %s\nWhere workers and operator can be overtaken was written after the model; what the job becomes is the engine's doing.\n", sum, explore.Spin)
	for _, l := range lives {
		c := counted(t, l)
		fmt.Fprintf(&out, "  %-26s engine %7d states, model %7d; %3d rows, %4d transitions of the engine\n    DEFINES: %s\n", l.Name, c.States, l.States, c.Rows, c.Transitions, l.Defines)
		if l.Patch != "" {
			fmt.Fprintf(&out, "    first: sed -i '%s' pipeline.pml\n", l.Patch)
		}
	}
	fmt.Fprintf(&out, "\nTransitions broken on purpose, each found with a shortest trace:\n")
	for _, m := range mutants {
		report, err := explore.Rows(makeMutant(m.with), bounds[m.bounds].Bounds)
		if err != nil || report.Found == nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		fmt.Fprintf(&out, "%s\n  %s\n", m.name, strings.ReplaceAll(report.Found.String(), "\n", "\n  "))
	}
	return out.String()
}

var stored = regexp.MustCompile(`(\d+) states, stored`)

// asks runs spin.
func asks(t *testing.T, l explore.Life) {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pipeline.pml"), source, 0o644); err != nil {
		t.Fatal(err)
	}
	script := strings.Replace(explore.Spin, "DEFINES", l.Defines, 1)
	if l.Patch != "" {
		script = "sed -i '" + l.Patch + "' pipeline.pml && " + script
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n := 0
	if found := stored.FindSubmatch(out); found != nil {
		n, _ = strconv.Atoi(string(found[1]))
	}
	if n != l.States || !strings.Contains(string(out), "errors: 0") {
		t.Errorf("%s: spin finds %d states, the table says %d\n%s", l.Name, n, l.States, out)
	}
}

// Where spin is installed the least of the numbers is asked of it in every run.
func TestModelsNumber(t *testing.T) {
	for _, tool := range []string{"spin", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%v: run `go run ./internal/install` as root on Debian, or install it", err)
			}
			t.Skipf("SKIPPED, THE MODEL IS NOT ASKED: %v; the numbers are those that were recorded", err)
		}
	}
	asks(t, lives[2])
}
