package metrics_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every query of the board, too; and together they show every metric.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "deploy", "grafana", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title, UID string
		Panels     []struct {
			ID          int
			Title, Type string
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Type, Definition string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	ids := map[int]bool{}
	for i, p := range board.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 || (len(p.Targets) == 0) != (p.Type == "row") {
			t.Errorf("panel %d: %+v", i, p)
		}
		ids[p.ID] = true
		for _, q := range board.Panels[:i] {
			if a, b := p.GridPos, q.GridPos; a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%q lies on %q", p.Title, q.Title)
			}
		}
		for _, target := range p.Targets {
			for _, fault := range faults(strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")) {
				t.Errorf("%s: %s", p.Title, fault)
			}
			labels := labelsOf(target.Expr)
			for _, m := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(target.LegendFormat, -1) {
				if !slices.Contains(labels, m[1]) {
					t.Errorf("%s: its legend speaks of %s, which the query does not keep", p.Title, m[1])
				}
			}
			for name := range catalogued(target.Expr) {
				shown[name] = true
			}
		}
	}
	for name := range byName {
		if !shown[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}
