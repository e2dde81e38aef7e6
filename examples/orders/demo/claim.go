package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Claim is what one scene claims, and whether it holds: every check does, and there was at least one.
type Claim struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"`
	Did     string         `json:"did"`
	Saw     string         `json:"saw"`
	Holds   bool           `json:"holds"`
	Checks  []Check        `json:"checks"`
	Figures map[string]any `json:"figures"`
	Seconds float64        `json:"seconds"`
}

// Check is one thing that had to be so.
type Check struct {
	What  string `json:"what"`
	Holds bool   `json:"holds"`
	Saw   string `json:"saw"`
	Want  string `json:"want,omitempty"` // of a number
}

// Report is a whole demo.
type Report struct {
	Holds          bool    `json:"holds"` // every claim does
	Seconds        float64 `json:"seconds"`
	Engine         string  `json:"engine"`
	Durability     string  `json:"durability"`
	Tables         string  `json:"tables"`
	LeaseSeconds   float64 `json:"lease_seconds"`
	MaxFailures    int     `json:"max_failures"`
	BackoffSeconds float64 `json:"backoff_seconds"`
	Seed           uint64  `json:"seed"`
	Claims         Claims  `json:"claims"`
}

// Claims are in the order played. In JSON they are an object with a field for each.
type Claims []Claim

// MarshalJSON implements [json.Marshaler].
func (all Claims) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", c.Name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// record is a claim in the making. It serves one goroutine.
type record struct {
	Claim
	began time.Time
}

func newRecord(s scene) *record {
	return &record{Claim: Claim{Name: s.name, Title: s.title, Checks: []Check{}, Figures: map[string]any{}}, began: time.Now()}
}

func (r *record) did(format string, args ...any) { r.Did = fmt.Sprintf(format, args...) }
func (r *record) saw(format string, args ...any) { r.Saw = fmt.Sprintf(format, args...) }

// figure keeps a number that was measured.
func (r *record) figure(name string, value any) { r.Figures[name] = value }

// check keeps whether what had to be so is so.
func (r *record) check(holds bool, what, saw string, args ...any) {
	r.Checks = append(r.Checks, Check{What: what, Holds: holds, Saw: fmt.Sprintf(saw, args...)})
}

// equal checks a number.
func (r *record) equal(what string, got, want int) {
	r.Checks = append(r.Checks, Check{what, got == want, commas(got), commas(want)})
}

// playedToItsEnd is what does not hold of a scene whose evidence could not be gathered.
const playedToItsEnd = "the scene is played to its end"

// end gives the claim. err: the evidence could not be gathered.
func (r *record) end(err error) Claim {
	if err != nil {
		r.check(false, playedToItsEnd, "%v", err)
		if r.Did == "" {
			r.did("nothing")
		}
		if r.Saw == "" {
			r.saw("the evidence could not be gathered")
		}
	}
	r.Holds = len(r.Checks) > 0
	for _, c := range r.Checks {
		r.Holds = r.Holds && c.Holds
	}
	r.Seconds = round(time.Since(r.began).Seconds())
	return r.Claim
}

// round keeps a figure to the thousandth.
func round(f float64) float64 { return float64(int64(f*1000+0.5)) / 1000 }
