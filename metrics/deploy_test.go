package metrics_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/twicehq/twice/diagnose"
)

const runbooks = "https://github.com/twicehq/twice/blob/main/docs/runbooks/"

type alertRule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) (rules []alertRule) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "deploy", "prometheus", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all struct {
		Groups []struct {
			Name  string
			Rules []alertRule
		}
	}
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, g := range all.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules
}

// Every alert reads metrics that there are, as they may be read, and leads to a page that there is.
func TestAlerts(t *testing.T) {
	rules := alerts(t)
	var reasons []string
	for _, r := range rules {
		for _, fault := range faults(r.Expr) {
			t.Errorf("%s: %s", r.Alert, fault)
		}
		reason := r.Labels["reason"]
		if slices.Contains(reasons, reason) || !slices.Contains([]string{"critical", "warning"}, r.Labels["severity"]) || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("%s: %v %v", r.Alert, r.Labels, r.Annotations)
		}
		if _, err := time.ParseDuration(r.For); err != nil {
			t.Errorf("%s: %v", r.Alert, err)
		}
		if r.Annotations["runbook_url"] != runbooks+reason+".md" {
			t.Errorf("%s leads to %s", r.Alert, r.Annotations["runbook_url"])
		}
		labels := labelsOf(r.Expr)
		for _, m := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(r.Annotations["summary"]+r.Annotations["description"], -1) {
			if !slices.Contains(labels, m[1]) {
				t.Errorf("%s speaks of the label %s", r.Alert, m[1])
			}
		}
		reasons = append(reasons, reason)
	}
	wantsPerson := []diagnose.Verdict{diagnose.BrokerDown, diagnose.NoData, diagnose.NoConsumer, diagnose.ConsumerDead, diagnose.StuckHandler, diagnose.StuckDispatch,
		diagnose.CrashLoop, diagnose.Poison, diagnose.DependencyDown, diagnose.Throttled, diagnose.UnderProvisioned, diagnose.DeadLettersGrowing, diagnose.Paused}
	for _, v := range wantsPerson {
		if !slices.Contains(reasons, string(v)) {
			t.Errorf("no alert for %s", v)
		}
	}
}

// Every alert has its page, which says what it must; and no page is left over.
func TestRunbooks(t *testing.T) {
	var wanted []string
	for _, r := range alerts(t) {
		name := r.Labels["reason"] + ".md"
		wanted = append(wanted, name)
		page, err := os.ReadFile(filepath.Join("..", "docs", "runbooks", name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range []string{"# " + r.Labels["reason"] + "\n", r.Alert, "## What it means", "## Look", "## Do", "## Over when", "twice "} {
			if !strings.Contains(string(page), part) {
				t.Errorf("%s has no %q", name, part)
			}
		}
		if n := strings.Count(string(page), "\n"); n > 60 {
			t.Errorf("%s has %d lines: nobody reads that at night", name, n)
		}
	}
	there, err := filepath.Glob(filepath.Join("..", "docs", "runbooks", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		name := filepath.Base(path)
		other := name == "README.md" || name == "undetermined.md" // a verdict that nobody is woken for
		if !other && !slices.Contains(wanted, name) {
			t.Errorf("%s is of no alert", name)
		}
	}
}
