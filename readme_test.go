package twice_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program in the README is the one in examples/quickstart, which the compiler checks.
func TestReadmeProgramIsTheExample(t *testing.T) {
	readme, program := read(t, "README.md"), read(t, "examples/quickstart/main.go")
	_, body, _ := strings.Cut(program, "type Charge struct")
	if want := "```go\ntype Charge struct" + body + "```"; !strings.Contains(readme, want) {
		t.Error("README.md does not hold examples/quickstart/main.go from `type Charge` on, word for word")
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)`)

// A link to what does not exist proves nothing.
func TestLinksExist(t *testing.T) {
	pages, _ := filepath.Glob("docs/*.md")
	more, _ := filepath.Glob("docs/*/*.md")
	pages = append(append(pages, more...), "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "proof/model/README.md")
	found := 0
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d links: the pattern is broken", found)
	}
}

// Reviewers read the sections in this order.
func TestReadmeSections(t *testing.T) {
	readme, at := read(t, "README.md"), 0
	for _, s := range []string{"# Twice", "## Goal", "## Acceptance criteria", "## Verification", "## Decision log", "## Evidence", "## Known limitations"} {
		i := strings.Index(readme[at:], "\n"+s+"\n")
		if strings.HasPrefix(readme, s+"\n") && at == 0 && s == "# Twice" {
			i = 0
		}
		if i < 0 {
			t.Fatalf("README.md lacks %q, or has it in another place", s)
		}
		at += i + 1
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
