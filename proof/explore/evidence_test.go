package explore_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
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
		for _, l := range append(slices.Clone(lives.All), lives.Longer...) {
			asks(t, l)
			agrees(t, l)
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
	fmt.Fprintf(&out, "\nThe memory ledger apart from any engine, likewise.\n")
	for _, b := range books {
		report := held(t, b.Bounds)
		fmt.Fprintf(&out, "  %-36s %5d rows, the protocol %5d; %6d steps tried, 0 differ\n", b.name, report.Rows, explore.ProtocolOfBooks(b.Bounds), report.Steps)
	}
	fmt.Fprintf(&out, around, sum, explore.Spin)
	for _, p := range lives.Patches {
		fmt.Fprintf(&out, "  %s: %s\n    sed -i '%s' pipeline.pml\n", p.Name, p.Why, p.Sed)
	}
	fmt.Fprintln(&out)
	for _, l := range lives.All {
		c := counted(t, l)
		fmt.Fprintf(&out, "  %-34s %7d states, model %7d; engine: %3d rows, %4d transitions; ledger: %3d, %4d\n%s", l.Name, c.States, l.States, c.Rows, c.Transitions, c.Books, c.Writes, how(l))
	}
	fmt.Fprintf(&out, "\nLonger ones, walked when this was recorded (and with -long):\n")
	for _, l := range lives.Longer {
		fmt.Fprintf(&out, "  %-34s %7d states, model the same\n%s", l.Name, l.States, how(l))
	}
	fmt.Fprintf(&out, "\nAn engine's transitions broken on purpose, each found with a shortest trace:\n")
	for _, m := range append(mutants, timedMutants...) {
		b := bounds[m.bounds].Bounds
		report, err := explore.Rows(makeMutant(m.with, b), b)
		tell(t, &out, m.name, report, err)
	}
	fmt.Fprintf(&out, "\nA ledger's, likewise:\n")
	for _, m := range ledgerMutants {
		b := books[m.bounds].Bounds
		report, err := explore.Books(makeBroken(m.with, b), b)
		tell(t, &out, m.name, report, err)
	}
	fmt.Fprintf(&out, "\nSteps of workers, operator and reaper left out, and limits overstepped, each with a shortest walk to what breaks:\n")
	for _, o := range omissions {
		_, err := lives.Count(o.Life)
		if err == nil {
			t.Fatalf("%s: nothing breaks", o.Name)
		}
		fmt.Fprintf(&out, "%s\n  %s\n", o.Name, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return out.String()
}

const around = `
The states of two workers, an operator, faults and data around the memory engine and a memory ledger, against those of
the model (proof/model/pipeline.pml, SHA-256 %.16s…), counted by:
  %s
Where workers, operator and reaper can be overtaken was written after the model; what the job and the record of its
effects become is the stores' doing. Where the walk is not the model as it stands, the model is patched first:
`

func how(l explore.Life) string {
	text := "    DEFINES: " + l.Defines + "\n"
	if l.Patch == "" {
		return text
	}
	for _, p := range lives.Patches {
		if l.Patch == p.Sed {
			return text + "    patched: " + p.Name + "\n"
		}
	}
	panic(l.Name + " has a patch of no name")
}

func tell(t *testing.T, out *strings.Builder, name string, report explore.Report, err error) {
	t.Helper()
	if err != nil || report.Found == nil {
		t.Fatalf("%s: %v", name, err)
	}
	fmt.Fprintf(out, "%s\n  %s\n", name, strings.ReplaceAll(report.Found.String(), "\n", "\n  "))
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

// Where spin is installed two of the least numbers are asked of it in every run.
func TestModelsNumber(t *testing.T) {
	for _, tool := range []string{"spin", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%v: run `go run ./internal/install` as root on Debian, or install it", err)
			}
			t.Skipf("SKIPPED, THE MODEL IS NOT ASKED: %v; the numbers are those that were recorded", err)
		}
	}
	asks(t, lives.All[2])
	asks(t, lives.Timed[4])
}
