package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/twicehq/twice/httpapi"
	"github.com/twicehq/twice/metrics"
)

// What the file for KEDA names is there: a route, a field of what it answers, and a metric.
func TestTheScalerFindsWhatItAsksFor(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../deploy/keda/scaledobject.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec struct {
			Triggers []struct {
				Metadata struct{ URL, ValueLocation string }
			}
		}
	}
	var loose map[string]any
	if err := yaml.Unmarshal(file, &loose); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(loose)
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	if err != nil || len(object.Spec.Triggers) != 1 {
		t.Fatal(err, object)
	}
	asks := object.Spec.Triggers[0].Metadata
	_, path, _ := strings.Cut(asks.URL, ":7420")

	api, err := httpapi.New(newRig(t).engine, httpapi.Config{})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7420/api/openapi.json", nil)
	r.Host = "127.0.0.1:7420"
	api.ServeHTTP(answer, r)
	var described struct {
		Paths map[string]any
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &described); err != nil || described.Paths["/api/v1/queues/{queue}/slots"] == nil {
		t.Fatal(err, answer.Code)
	}
	if !regexp.MustCompile(`^/api/v1/queues/[a-z]+/slots$`).MatchString(path) {
		t.Errorf("the API has nothing at %s", path)
	}
	field, _ := json.Marshal(httpapi.Slots{})
	if !strings.Contains(string(field), `"`+asks.ValueLocation+`"`) {
		t.Errorf("%s has no %s", field, asks.ValueLocation)
	}
	known := map[string]bool{}
	for _, d := range metrics.All() {
		known[d.Name] = true
	}
	names := regexp.MustCompile(`twice_[a-z_]+`).FindAllString(string(file), -1)
	if len(names) == 0 {
		t.Error("it names no metric")
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("there is no metric %s", name)
		}
	}
}
